// Streamable HTTP in front of a stdio server, for test suites that speak only HTTP. Loopback only; one server per session.
//
// Usage: bridge.mjs COMMAND [ARG...]. Prints the port it listens on. Ends with its standard input.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const sessions = new Map();

function open() {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const session = { child, waiting: new Map() };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    const answer = session.waiting.get(message.id);
    // What answers no request (progress, requests of the server) has no open response to go to.
    if (answer && !message.method) {
      session.waiting.delete(message.id);
      answer(message);
    }
  });
  return session;
}

function exchange(session, message) {
  session.child.stdin.write(JSON.stringify(message) + "\n");
  if (message.id === undefined || !message.method) return Promise.resolve(null);
  return new Promise((resolve) => session.waiting.set(message.id, resolve));
}

async function post(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const message = JSON.parse(body);
  let id = request.headers["mcp-session-id"];
  if (!sessions.has(id)) {
    id = randomUUID();
    sessions.set(id, open());
  }
  const answer = await exchange(sessions.get(id), message);
  response.setHeader("mcp-session-id", id);
  if (answer === null) return response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

// A page in a browser must not reach a server on this machine by a name that leads here (DNS rebinding).
const local = (host) => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host ?? "");
const allowed = ({ headers }) => local(headers.host) && (!headers.origin || local(new URL(headers.origin).host));

const server = createServer((request, response) => {
  if (!allowed(request)) return response.writeHead(403).end();
  if (request.method === "POST") return post(request, response).catch(() => response.writeHead(400).end());
  if (request.method === "DELETE") return response.writeHead(200).end();
  response.writeHead(405, { allow: "POST, DELETE" }).end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => {
  for (const { child } of sessions.values()) child.stdin.end();
  server.close();
  server.closeAllConnections();
  setTimeout(() => process.exit(0), 200);
});
