import { relative, resolve } from 'node:path';
import { dirname } from 'node:path/posix';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CALL = { name: 'crm_get_current_user', arguments: {} };

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

let demo: RunningScript;
let post: (method: string, params: object) => Promise<string>;
let debug: (method: string, params?: object) => Promise<{ readonly result: readonly ScriptCoverage[] }>;
let closeDebugger: () => void;

beforeAll(async () => {
  demo = runScript('scripts/demo.ts', [], { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  const [address] = await demo.waitFor(/ws:\/\/\S+/);
  await demo.waitFor(/Ctrl-C stops everything/);
  const [, token = ''] = await demo.waitFor(/token +(\S+)/);
  const [endpoint] = await demo.waitFor(/http:\/\/\S+\/api\/mcp\/unified/);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  post = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(endpoint, { method: 'POST', headers, body })).text();
  };
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (result: never) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result as never);
  });
  debug = (method, params = {}) =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  closeDebugger = () => socket.close();
}, 60_000);
afterAll(async () => {
  closeDebugger?.();
  await demo?.stop('SIGKILL');
});

async function enteredBy(method: string, params: object) {
  for (let time = 0; time < 5; time += 1) await post(method, params);
  await new Promise((done) => setTimeout(done, 1500));
  await debug('Profiler.enable');
  await debug('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const answer = await post(method, params);
  const { result } = await debug('Profiler.takePreciseCoverage');
  await debug('Profiler.stopPreciseCoverage');
  expect(answer).not.toContain('"error"');
  const entered = result.flatMap(({ url, functions }) => {
    const file = relative(ROOT, url.replace('file://', ''));
    const called = functions.filter(
      ({ functionName, ranges: [range] }) => range!.count > 0 && (functionName !== '' || range!.startOffset > 0),
    ).length;
    return /^(server|shared)\//.test(file) && called > 0 ? [{ file, called }] : [];
  });
  return {
    files: entered.map(({ file }) => file).sort(),
    functions: entered.reduce((sum, { called }) => sum + called, 0),
    folders: [...new Set(entered.map(({ file }) => dirname(file)))].sort(),
  };
}

test('a steady tools/call enters at most 50 files, 160 functions and 12 folders', async () => {
  const { files, functions, folders } = await enteredBy('tools/call', CALL);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(50);
  expect(functions).toBeLessThanOrEqual(160);
  expect(folders.length, folders.join('\n')).toBeLessThanOrEqual(12);
}, 30_000);

test('a steady tools/list enters at most 18 files', async () => {
  const { files } = await enteredBy('tools/list', {});
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(18);
}, 30_000);
