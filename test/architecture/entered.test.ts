import { relative, resolve } from 'node:path';
import { dirname } from 'node:path/posix';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningScript, runScript } from '../support/run-script.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CALL = { name: 'crm_get_current_user', arguments: {} };
const MEASURED_TIMES = 3;
const AFTERMATH_MS = 100;

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

let demo: RunningScript;
let inspector: WebSocket;
let post: (method: string, params: object) => Promise<string>;

beforeAll(async () => {
  demo = runScript('scripts/demo/main.ts', [], { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  const [inspectorUrl] = await demo.waitFor(/ws:\/\/\S+/);
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
  inspector = new WebSocket(inspectorUrl);
  await new Promise((resolve, reject) => {
    inspector.addEventListener('open', resolve);
    inspector.addEventListener('error', reject);
  });
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}, 120_000);

afterAll(async () => {
  inspector?.close();
  await demo?.stop('SIGKILL');
});

let lastId = 0;

function ask(method: string, params: object = {}): Promise<Coverage> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: MessageEvent): void => {
      const answer = JSON.parse(String(data));
      if (answer.id !== id) return;
      inspector.removeEventListener('message', onMessage);
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(`${method}: ${answer.error.message}`));
    };
    inspector.addEventListener('message', onMessage);
    inspector.addEventListener('close', () => reject(new Error('the demo ended')), { once: true });
    inspector.send(JSON.stringify({ id, method, params }));
  });
}

async function functionsOfOne(method: string, params: object): Promise<Set<string>> {
  await ask('Profiler.takePreciseCoverage');
  const answer = await post(method, params);
  await delay(AFTERMATH_MS);
  const { result } = await ask('Profiler.takePreciseCoverage');
  expect(answer).not.toContain('"error"');
  return new Set(
    result.flatMap(({ url, functions }) => {
      const file = relative(ROOT, url.replace('file://', ''));
      if (!/^(server|shared)\//.test(file)) return [];
      return functions.flatMap(({ functionName, ranges: [range] }) => {
        const { count = 0, startOffset = 0 } = range ?? {};
        const isWholeFile = functionName === '' && startOffset === 0;
        return count === 0 || isWholeFile ? [] : [`${file}:${startOffset} ${functionName}`];
      });
    }),
  );
}

async function enteredBy(method: string, params: object) {
  for (let time = 0; time < 5; time += 1) await post(method, params);
  await delay(1500);
  let functions = await functionsOfOne(method, params);
  for (let time = 1; time < MEASURED_TIMES; time += 1) {
    const again = await functionsOfOne(method, params);
    functions = new Set([...functions].filter((name) => again.has(name)));
  }
  const files = new Set([...functions].map((name) => name.replace(/:.*$/, '')));
  return {
    functions: [...functions].sort(),
    files: [...files].sort(),
    folders: [...new Set([...files].map((file) => dirname(file)))].sort(),
  };
}

test.each([
  ['tools/call', CALL, { files: 50, functions: 173, folders: 12 }],
  ['tools/list', {}, { files: 18, functions: 67, folders: 7 }],
])(
  'a steady %s enters few files, functions and folders',
  async (method, params, most) => {
    const { files, functions, folders } = await enteredBy(method, params);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most.files);
    expect(functions.length, functions.join('\n')).toBeLessThanOrEqual(most.functions);
    expect(folders.length, folders.join('\n')).toBeLessThanOrEqual(most.folders);
  },
  60_000,
);
