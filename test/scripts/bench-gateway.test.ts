import { readdir, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { formatGoals, isMissed, judgeGoals } from '../../scripts/lab/bench/gateway/goals.ts';
import { startLoad } from '../../scripts/lab/bench/gateway/load-process.ts';
import { mergeRuns, type Sample, type Series } from '../../scripts/lab/bench/gateway/measure.ts';
import { SUBJECTS } from '../../scripts/lab/bench/gateway/subjects.ts';
import { WORKLOADS } from '../../scripts/lab/bench/gateway/workloads.ts';
import { toHangingRatio, toHangingSection } from '../../scripts/lab/bench/pressure/index.ts';
import { toSampledRatio, toTelemetrySection } from '../../scripts/lab/bench/telemetry.ts';
import { runScript } from '../support/run-script.ts';

const RUN_TIMEOUT_MS = 120_000;

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
});

async function bench(...args: string[]): Promise<{ code: number | null; output: string }> {
  const script = runScript('scripts/lab/main.ts', ['bench', ...args]);
  const code = await script.ended();
  return { code, output: script.output() };
}

function seriesOf(subject: string, workload: string, sample: Partial<Sample>): Series {
  const found = {
    subject: SUBJECTS.find(({ name }) => name === subject),
    workload: WORKLOADS.find(({ name }) => name === workload),
  };
  if (found.subject === undefined || found.workload === undefined) throw new Error(`no ${subject} or ${workload}`);
  const whole = { rate: 1, p50: 1, p99: 1, cpu: 1, resident: 1, answerBytes: 1, generatorShare: 0, ...sample };
  return { ...found, clients: 16, samples: [whole] } as Series;
}

describe('runs', () => {
  const run = (...cpus: readonly number[]) => [
    { ...seriesOf('bare', 'call', {}), samples: cpus.flatMap((cpu) => seriesOf('bare', 'call', { cpu }).samples) },
  ];

  test('of several are merged by their medians', () => {
    const [row] = mergeRuns([run(10, 20, 90), run(30, 40, 50)]);
    expect(row?.samples.map(({ cpu, rate }) => [cpu, rate])).toEqual([
      [20, 1],
      [40, 1],
    ]);
  });

  test('of one keep their rounds', () => {
    expect(mergeRuns([run(10, 20)])).toEqual(run(10, 20));
  });
});

describe('npm run lab -- bench gateway', () => {
  test(
    'prints a row for each server, or why it is skipped',
    async () => {
      const { code, output } = await bench('gateway', '--quick', '--seconds=0.1', '--only=call', '--postgres-url=');
      expect(output).toMatch(/^tools\/call, 2025-11-25, 68 tools, 1 rounds$/m);
      for (const title of ['bare node:http', 'v1 SDK, sessions', 'v2 SDK', 'this gateway, SQLite']) {
        expect(output).toMatch(new RegExp(`^${title} +16( +[0-9.]+){9}$`, 'm'));
      }
      expect(output).toContain('this gateway, PostgreSQL: skipped, because there is no PostgreSQL server');
      expect(output).toMatch(/^68 +\d+$/m);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );

  test(
    'measures the newer protocol and a long list, and writes a profile of each',
    async () => {
      const only = '--only=call-2026,list-1000,gateway-sqlite';
      const { code, output } = await bench('gateway', '--quick', '--seconds=0.1', only, '--profile', '--markdown');
      for (const name of ['call-2026', 'list-1000']) {
        expect(output).toContain(`<!-- bench:${name} -->`);
      }
      expect(output.match(/^\| bare node:http \| 16 \|/gm)).toHaveLength(2);
      const folder = /^CPU profiles: (.+)$/m.exec(output)?.[1] ?? '';
      endings.push(() => rm(folder, { recursive: true, force: true }));
      expect((await readdir(folder)).sort()).toEqual([
        'call-2026-gateway-sqlite.cpuprofile',
        'list-1000-gateway-sqlite.cpuprofile',
      ]);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );
});

describe('npm run lab -- bench gateway-memory', () => {
  test(
    'prints the memory after few and after many calls, and whether the goal is met',
    async () => {
      const { output } = await bench('gateway-memory', '--quick', '--check-goals');
      expect(output).toMatch(/^200 +\d+ +1\.00 +\d+$/m);
      expect(output).toMatch(/^2000 +\d+ +[0-9.]+ +\d+$/m);
      expect(output).toMatch(/^(met|missed) +memory after 2000 calls: [0-9.]+ x that after 200 \(at most 1\.1\)$/m);
      expect(output).toMatch(/^not measured +start to first answer: at most 500 ms$/m);
    },
    RUN_TIMEOUT_MS,
  );
});

describe('npm run lab -- bench list', () => {
  test(
    'prints the start, a page of the list, the memory after all pages, and a call of an unknown name',
    async () => {
      const { code, output } = await bench('list', '--quick');
      expect(output).toContain('500 tools in one gateway on SQLite');
      expect(output).toMatch(/^start, to the end of the first list( +[0-9.]+){2} *$/m);
      expect(output).toMatch(/^one page of the list, of 20( +[0-9.]+){2} +\d+$/m);
      expect(output).toMatch(/^a call of an unknown name, of 5( +[0-9.]+){2} *$/m);
      expect(code).toBe(0);
    },
    RUN_TIMEOUT_MS,
  );
});

describe('the load generator', () => {
  test.each([
    ['another status', 503, '{"result":{}}'],
    ['a protocol error', 200, '{"error":{}}'],
    ['a tool error', 200, '{"result":{"isError":true}}'],
  ])('counts %s as a failure', async (_title, status, text) => {
    const server = createHttpServer((_, response) => response.writeHead(status).end(text));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const load = startLoad();
    endings.push(
      () => server.close(),
      () => load.stop(),
    );
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const target = {
      origin,
      path: '/',
      headers: [{ host: 'upstream' }],
      body: ['', ''] as const,
      clients: 1,
    };
    await expect(load.open(target)).rejects.toThrow(`answered ${status}: ${text}`);
  });

  test('counts every answer, in milliseconds, and its bytes, with the headers of each user in turn', async () => {
    const users: string[] = [];
    const ids = new Set<number>();
    const server = createHttpServer(async (request, response) => {
      users.push(String(request.headers.user));
      ids.add(((await json(request)) as { id: number }).id);
      setTimeout(() => response.end('{"result":{}}'), 5);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const load = startLoad();
    endings.push(
      () => server.close(),
      () => load.stop(),
    );
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = [{ user: 'ada' }, { user: 'grace' }];
    await load.open({ origin, path: '/', headers, body: ['{"id":', '}'], clients: 2 });
    const figures = await load.run({ requests: 20 });
    await load.close();
    expect(figures).toMatchObject({ requests: 20, answerBytes: 13 });
    expect(figures.p50).toBeGreaterThan(4);
    expect(figures.p99).toBeGreaterThanOrEqual(figures.p50);
    expect([ids.size, users.filter((user) => user === 'ada').length]).toEqual([22, 11]);
  });
});

describe('the goals', () => {
  test('compare the gateway with the bare server of the same workload', () => {
    const series = [
      seriesOf('bare', 'call', { cpu: 40, p99: 2 }),
      seriesOf('gateway-sqlite', 'call', { cpu: 120, p99: 8 }),
      seriesOf('bare', 'list-1000', { rate: 1000 }),
      seriesOf('gateway-sqlite', 'list-1000', { rate: 950 }),
    ];
    const goals = judgeGoals({ series, starts: [600, 400, 450], memory: [], sampled: 1.07, hanging: 1.6 });
    expect(formatGoals(goals).split('\n')).toEqual([
      'met           CPU time of a tools/call on SQLite: 3 x bare (at most 3.5)',
      'not measured  CPU time of a tools/call on PostgreSQL: at most 6 x bare',
      'missed        p99 of a tools/call on SQLite: 4 x bare (at most 3)',
      'met           tools/list of 1,000 tools a second: 0.95 x bare (at least 0.9)',
      'not measured  memory after 200000 calls: at most 1.1 x that after 20000',
      'met           start to first answer: 450 ms (at most 500)',
      'met           CPU time of a tools/call with metrics and 1 % of traces: 1.07 x without (at most 1.1)',
      'missed        p99 of a tools/call while the upstream of another service hangs: 1.6 x without (at most 1.5)',
    ]);
    expect(goals.filter(isMissed)).toHaveLength(2);
  });

  test('do not judge rates where the load generator was the limit', () => {
    const series = [
      seriesOf('bare', 'list-1000', { rate: 1000, generatorShare: 0.95 }),
      seriesOf('gateway-sqlite', 'list-1000', { rate: 500 }),
    ];
    const goals = judgeGoals({ series, starts: [], memory: [], sampled: null, hanging: null });
    expect(formatGoals(goals)).toContain('not measured  tools/list of 1,000 tools a second');
  });
});

describe('an upstream that hangs', () => {
  const partOf = (milliseconds: number, cpu: number) => ({
    calls: Array.from({ length: 100 }, () => ({ milliseconds, outcome: 'ok' })),
    cpu,
  });
  const rounds = [4, 6, 40].map((hung) => [partOf(4, 40), partOf(hung, 20), partOf(5, 10)]);

  test('costs other upstreams the worse of both parts, by the median of the rounds', () => {
    expect(toHangingRatio(rounds)).toBe(1.5);
    expect(toHangingRatio([])).toBeNull();
    expect(toHangingSection(rounds)).toMatchObject({
      table: [
        ['', 'p50 ms', 'p99 ms', 'x quiet', 'CPU ms/s', 'calls failed'],
        ['all is well', '4.0', '4.0', '1.00 (1.00-1.00)', '40', '0'],
        ['the other upstream hangs', '6.0', '6.0', '1.50 (1.00-10.00)', '20', '0'],
        ['its calls are refused', '5.0', '5.0', '1.25 (1.25-1.25)', '10', '0'],
      ],
    });
  });
});

describe('the cost of metrics and traces', () => {
  const modes = ['off', 'metrics, 1 % of traces'].map((name, mode) => ({
    ...seriesOf('bare', 'call', {}),
    subject: { name, title: name },
    samples: [100, 200, 400].map((cpu) => ({ rate: 1, p50: 1, p99: 1, cpu: cpu * (1 + mode / 10), resident: 5e6 })),
  })) as unknown as Series[];

  test('is the median of the ratios of all rounds', () => {
    expect(toSampledRatio(modes)).toBeCloseTo(1.1);
    expect(toSampledRatio([])).toBeNull();
    expect(toTelemetrySection(modes).table).toEqual([
      ['telemetry', 'CPU µs', 'x off', 'p50 ms', 'memory MB'],
      ['off', '200 (100-400)', '1.00', '1.00', '5'],
      ['metrics, 1 % of traces', '220 (110-440)', '1.10', '1.00', '5'],
    ]);
  });
});
