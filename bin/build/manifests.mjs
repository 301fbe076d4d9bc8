import { manifestOf } from './licenses.mjs';

/** The manifests for other package managers, by file name. `sums`: checksums by file name; `from`: the URL of the packages. */
export function manifests(top, sums, from) {
  const about = { ...manifestOf(top), sums, from };
  return { 'linkctl.rb': formula(about), 'linkctl.json': scoop(about), Containerfile: container(about) };
}

/** Installs the npm package with Homebrew's Node because an executable would have to be signed on a Mac. */
function formula({ version, description, license, sums, from }) {
  const file = `linkctl-${version}.tgz`;
  return `class Linkctl < Formula
  desc "${description}"
  url "${from}/${file}"
  sha256 "${sums[file]}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    files = libexec/"lib/node_modules/linkctl/completions"
    man1.install_symlink files/"linkctl.1"
    bash_completion.install_symlink files/"linkctl.bash" => "linkctl"
    zsh_completion.install_symlink files/"_linkctl"
    fish_completion.install_symlink files/"linkctl.fish"
  end

  test do
    assert_match "linkctl #{version}", shell_output("#{bin}/linkctl --version")
    ENV["HOME"] = testpath
    assert_match "http", shell_output("#{bin}/linkctl -p sandbox shorten https://example.com/")
  end
end
`;
}

/** Scoop, for Windows. */
function scoop({ version, description, license, sums, from }) {
  const file = `linkctl-${version}-win-x64.exe`;
  const architecture = { '64bit': { url: `${from}/${file}#/linkctl.exe`, hash: sums[file] } };
  return `${JSON.stringify({ version, description, license, architecture, bin: 'linkctl.exe' }, undefined, 2)}\n`;
}

/** For `podman build` or `docker build` in the folder of the packages. The links are stored in /data. */
function container({ version, sums }) {
  const files = ['amd64', 'arm64'].map((architecture) => `linkctl_${version}_${architecture}.deb`);
  return `FROM debian:stable-slim
ARG TARGETARCH=amd64
COPY ${files.join(' ')} /tmp/packages/
RUN cd /tmp/packages \\
 && printf '%s  %s\\n' \\
${files.map((file) => `      ${sums[file]} ${file} \\\n`).join('')}    | sha256sum --check \\
 && apt-get update \\
 && apt-get install --yes --no-install-recommends ca-certificates "./linkctl_${version}_$TARGETARCH.deb" \\
 && rm -rf /tmp/packages /var/lib/apt/lists/* \\
 && useradd --system --home-dir /data --create-home linkctl
USER linkctl
WORKDIR /data
VOLUME /data
EXPOSE 8787
ENTRYPOINT ["linkctl"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]
`;
}
