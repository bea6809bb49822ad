// Runs a program of this project on a suitable Node: the current one if it is new enough, otherwise the one that `npm ci` installed. This
// is plain JavaScript of Node 12, because an old Node has to read it to say what it needs. (npm 10 links no `node` command if several
// optional packages offer one, so `.bin/node` cannot be relied on.)
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const COMPILED = 'node_modules/.cache/unified-tool-gateway/compiled';
const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const oldest = manifest.engines.node.replace('>=', '');

/** Compares numbers, because the first comparison by language takes 6 ms. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Names of the packages with which `npm ci` installs Node on this platform: none, one, or one of two. */
function packagesWithNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const names = [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
  return names.filter((name) => name in manifest.optionalDependencies);
}

function findBroughtNode() {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return packagesWithNode()
    .map((name) => join(root, 'node_modules', name, 'bin', file))
    .find((path) => existsSync(path));
}

function describeOldNode() {
  const needed = `This is Node ${process.versions.node}; the project needs ${oldest} or later.`;
  return packagesWithNode().length > 0
    ? `${needed} Run "npm ci": it installs one.`
    : `${needed} "npm ci" installs one for common platforms, but not for ${process.platform} ${process.arch}: install a newer Node.`;
}

/** Names a missing package; any other error is the program's own. */
function explain(error) {
  const found = /^Cannot find (?:package '|module '.*[\\/]node_modules[\\/])([^'\\/]+)/.exec(error.message);
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || found === null) throw error;
  const folder = /[\\/]\.ci[\\/]tools[\\/]/.test(found[0]) ? ' --prefix .ci/tools' : '';
  fail(`The package ${found[1]} is not installed: run "npm ci${folder}" first.`, 1);
}

function fail(message, exitCode) {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

function runOn(node, program, args) {
  const child = spawn(node, [fileURLToPath(import.meta.url), program, ...args], {
    stdio: 'inherit',
    env: Object.assign({}, process.env, { PATH: `${dirname(node)}${delimiter}${process.env.PATH || ''}` }),
  });
  // A terminal sends Ctrl-C to both processes; if it were passed on, it would arrive twice.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 1;
  });
}

const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  fail('Usage: node scripts/node.mjs <program> [arguments]', 2);
} else if (isNewEnough(process.versions.node)) {
  const path = resolve(program);
  // Node caches the compiled code of every module with the hash of its source: a program starts in half the time.
  if (!args.includes('--no-cache')) module.enableCompileCache(join(root, COMPILED));
  process.argv.splice(1, 2, path);
  import(pathToFileURL(path).href).catch(explain);
} else {
  const node = findBroughtNode();
  if (node === undefined) {
    fail(describeOldNode(), 1);
  } else {
    runOn(node, resolve(program), args);
  }
}
