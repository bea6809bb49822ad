/** Starts the sample proxies of `deploy/` with local ports and a test certificate. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isListening } from '../../scripts/lab/bench/server-process.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { createCertificate } from '../support/certificate.ts';
import { findProgram } from '../support/fuller-checks.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy');
const START_MS = 30_000;

/** The host of the samples. */
export const HOST = 'tools.example.com';

export interface RunningProxy {
  /** Where it speaks TLS. */
  readonly port: number;
  /** Where it sends clients on to TLS. */
  readonly plainPort: number;
  readonly certificate: string;
  stop(): Promise<void>;
}

/** Texts of a sample and what replaces them for a local run. Each must occur in it. */
type Replacements = Readonly<Record<string, string>>;

interface Ports {
  readonly port: number;
  readonly plainPort: number;
  readonly gateway: number;
}

/** @param folder for its files, used by nothing else. @param change of the sample, to show what a line of it does. */
export async function startProxy(
  name: keyof typeof PROXIES,
  folder: string,
  gateway: number,
  change = (sample: string) => sample,
): Promise<RunningProxy> {
  const { key, certificate } = createCertificate([HOST]);
  await writeFile(path.join(folder, 'key.pem'), key);
  await writeFile(path.join(folder, 'certificate.pem'), certificate);
  const ports = { port: await freePort(), plainPort: await freePort(), gateway };
  const child = await PROXIES[name].start(folder, ports, change);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const endsAt = Date.now() + START_MS;
  while (!(await isListening(ports.port))) {
    if (child.exitCode !== null || Date.now() > endsAt) throw new Error(`${name} did not start:\n${output}`);
    await setTimeout(20);
  }
  return {
    ...ports,
    certificate,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

export const PROXIES = {
  caddy: {
    program: findProgram('caddy'),
    async start(folder: string, { port, plainPort, gateway }: Ports, change: (sample: string) => string) {
      const sample = replaceAll(change(await readSample('caddy/Caddyfile')), {
        '# tls /etc/caddy/tls/certificate.pem /etc/caddy/tls/key.pem': `tls ${folder}/certificate.pem ${folder}/key.pem`,
      });
      const file = path.join(folder, 'Caddyfile');
      await writeFile(file, `{\n\tadmin off\n\thttp_port ${plainPort}\n}\n${sample}`);
      const addresses = { GATEWAY_HOST: `${HOST}:${port}`, GATEWAY_UPSTREAM: `127.0.0.1:${gateway}` };
      return run('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
        ...addresses,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      });
    },
  },
  nginx: {
    program: findProgram('nginx'),
    async start(folder: string, { port, plainPort, gateway }: Ports, change: (sample: string) => string) {
      const sample = replaceAll(change(await readSample('nginx/gateway.conf')), {
        'listen 80;': `listen 127.0.0.1:${plainPort};`,
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        '127.0.0.1:3000': `127.0.0.1:${gateway}`,
        '/etc/nginx/tls/': `${folder}/`,
      });
      await writeFile(path.join(folder, 'gateway.conf'), sample);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (each) => `${each}_temp_path ${folder}/${each};`,
      );
      const user = process.getuid?.() === 0 ? 'user root;\n' : '';
      await writeFile(
        path.join(folder, 'nginx.conf'),
        `${user}daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\n` +
          `http {\naccess_log off;\n${paths.join('\n')}\ninclude ${folder}/gateway.conf;\n}\n`,
      );
      return run(
        PROXIES.nginx.program ?? '',
        ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')],
        {},
      );
    },
  },
} as const;

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function readSample(file: string): Promise<string> {
  return readFile(path.join(DEPLOY, file), 'utf8');
}

function replaceAll(sample: string, replacements: Replacements): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the sample does not say ${from}`);
    return text.replaceAll(from, to);
  }, sample);
}
