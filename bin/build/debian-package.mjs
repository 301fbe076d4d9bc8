import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { manifestOf } from './licenses.mjs';
import { run } from './node-binaries.mjs';

/** Contains the executable with its manual page, completions for three shells, and a service that is not enabled. */
export function makeDebianPackage({ top, work, executable, architecture, maintainer, date, licenses, path }) {
  const { version, description } = manifestOf(top);
  const root = join(work, `debian-${architecture}`);
  const put = (name, content) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content, { mode: 0o644 });
  };
  const packed = (name, content) => put(`${name}.gz`, gzipSync(content, { level: 9 }));
  const textOf = (...names) => readFileSync(join(top, ...names), 'utf8');
  mkdirSync(join(root, 'usr', 'bin'), { recursive: true });
  cpSync(executable, join(root, 'usr', 'bin', 'linkctl'));
  packed('usr/share/man/man1/linkctl.1', textOf('completions', 'linkctl.1'));
  put('usr/share/bash-completion/completions/linkctl', textOf('completions', 'linkctl.bash'));
  put('usr/share/zsh/vendor-completions/_linkctl', textOf('completions', '_linkctl'));
  put('usr/share/fish/vendor_completions.d/linkctl.fish', textOf('completions', 'linkctl.fish'));
  put('lib/systemd/system/linkctl.service', service);
  put('usr/share/lintian/overrides/linkctl', overrides);
  put('usr/share/doc/linkctl/copyright', copyright(textOf('LICENSE')));
  packed('usr/share/doc/linkctl/licenses', licenses);
  const entry = `linkctl (${version}) unstable; urgency=medium\n\n  * Changes: CHANGELOG.md of this version.\n\n -- ${maintainer}  ${date}\n`;
  packed('usr/share/doc/linkctl/changelog', entry);
  put('DEBIAN/control', control({ version, architecture, maintainer, description }));
  run('chmod', '-R', 'go-w,a+rX', root);
  chmodSync(join(root, 'usr', 'bin', 'linkctl'), 0o755);
  run('dpkg-deb', '--root-owner-group', '-Zxz', '-z3', '--threads-max=1', '--build', root, path);
}

function control({ version, architecture, maintainer, description }) {
  return `Package: linkctl
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Section: web
Priority: optional
Depends: libc6 (>= 2.28), libgcc-s1 (>= 3.4) | libgcc1, libstdc++6 (>= 5.2)
Suggests: ca-certificates
Description: ${description[0].toLowerCase()}${description.slice(1)}
 Shortens, redirects, tags, counts and deletes short links, one or a million,
 without losing or doubling one. Needs no server: the sandbox profile holds
 the whole API, and "linkctl serve" serves it to others.
`;
}

/** systemd gives the service a user of its own and a folder that only this user can read. */
const service = `[Unit]
Description=Short URLs and their API
Documentation=man:linkctl(1)
Wants=network-online.target
After=network-online.target

[Service]
# LINKCTL_SERVE_FLAGS="--port 8787 --public-url https://example.com"
EnvironmentFile=-/etc/default/linkctl
Environment=HOME=/var/lib/linkctl
ExecStart=/usr/bin/linkctl serve --data /var/lib/linkctl $LINKCTL_SERVE_FLAGS
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
DynamicUser=yes
StateDirectory=linkctl
StateDirectoryMode=0700
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectHome=yes
ProtectSystem=strict

[Install]
WantedBy=multi-user.target
`;

/** Node includes its libraries so that one file runs on every system. */
const overrides = `# Node's own program, as it is built by Node, with the libraries that it is tested with.
linkctl: embedded-library *
linkctl: hardening-no-pie *
linkctl: hardening-no-fortify-functions *
`;

function copyright(license) {
  const text = license.trim().split('\n').slice(2);
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Comment: What else is in the program, and its licenses, is in licenses.gz beside
 this file, and printed by: linkctl version --licenses

Files: *
Copyright: ${/Copyright \(c\) (.+)/.exec(license)?.[1] ?? 'the linkctl authors'}
License: Expat
${text
  .filter((line) => !line.startsWith('Copyright'))
  .join('\n')
  .trim()
  .split('\n')
  .map((line) => ` ${line || '.'}`)
  .join('\n')}
`;
}
