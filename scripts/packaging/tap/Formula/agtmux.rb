# Homebrew's description of the command line. scripts/makeTap.mjs fills what is between at signs when a release is made.
class Agtmux < Formula
  desc "Status of coding agents in tmux panes, with answers to their requests"
  homepage "https://github.com/@REPOSITORY@"
  license "MIT"

  livecheck do
    url :stable
    strategy :github_latest
  end

  depends_on "tmux"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/agtmux-@VERSION@-macos-arm64.tar.gz"
      sha256 "@SHA256 macos-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/agtmux-@VERSION@-macos-x64.tar.gz"
      sha256 "@SHA256 macos-x64.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/agtmux-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256 linux-arm64.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/agtmux-@VERSION@-linux-x64.tar.gz"
      sha256 "@SHA256 linux-x64.tar.gz@"
    end
  end

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/agtmux"
    man1.install_symlink libexec/"share/man/man1/agtmux.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/agtmux"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/agtmux.fish"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_agtmux"
  end

  def caveats
    <<~EOS
      This installs the hooks of the agents that are found, after asking once:
        agtmux setup
      Before uninstalling, this takes them out again:
        agtmux setup --remove
    EOS
  end

  test do
    ENV["AGTMUX_HOME"] = testpath/"home"
    assert_match version.to_s, shell_output("#{bin}/agtmux --version")
    assert_match "no daemon runs", shell_output("#{bin}/agtmux daemon status 2>&1", 8)
  end
end
