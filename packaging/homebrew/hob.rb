# The formula of a tap. In the repository it is a template: `python3 packaging/release formula` puts the checksums in.
class Hob < Formula
  desc "Code intelligence kept warm by one daemon, for coding agents, editors and you"
  homepage "https://example.invalid/hob"
  version "0.1.0"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://example.invalid/hob/releases/download/v0.1.0/hob-0.1.0-aarch64-apple-darwin.tar.xz"
      sha256 "SHA256_OF_aarch64-apple-darwin"
    end
    on_intel do
      url "https://example.invalid/hob/releases/download/v0.1.0/hob-0.1.0-x86_64-apple-darwin.tar.xz"
      sha256 "SHA256_OF_x86_64-apple-darwin"
    end
  end

  on_linux do
    on_arm do
      url "https://example.invalid/hob/releases/download/v0.1.0/hob-0.1.0-aarch64-unknown-linux-gnu.tar.xz"
      sha256 "SHA256_OF_aarch64-unknown-linux-gnu"
    end
    on_intel do
      url "https://example.invalid/hob/releases/download/v0.1.0/hob-0.1.0-x86_64-unknown-linux-gnu.tar.xz"
      sha256 "SHA256_OF_x86_64-unknown-linux-gnu"
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/hob"
    zsh_completion.install "share/zsh/site-functions/_hob"
    fish_completion.install "share/fish/vendor_completions.d/hob.fish"
    pkgshare.install Dir["share/hob/*"]
    doc.install Dir["share/doc/hob/*"]
  end

  def caveats
    <<~EOS
      The daemon starts by itself when it is needed. To have it started at log-in:
        hob service install
    EOS
  end

  test do
    ENV["HOB_DIR"] = testpath/"hob"
    (testpath/"project/a.py").write "def answer():\n    return 42\n"
    assert_match version.to_s, shell_output("#{bin}/hob --version")
    assert_match "answer", shell_output("#{bin}/hob --root #{testpath}/project search answer")
  ensure
    system bin/"hob", "stop"
  end
end
