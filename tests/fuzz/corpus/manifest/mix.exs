defmodule A.MixProject do
  def project, do: [app: :a]
end
