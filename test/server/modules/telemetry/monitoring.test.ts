import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OUTCOMES } from '../../../../server/call/tools/results/outcomes.ts';
import { toFamilyName, toLabel } from '../../../../server/modules/telemetry/exposition.ts';
import { INSTRUMENTS, type Instrument } from '../../../../server/modules/telemetry/instruments.ts';

interface Query {
  readonly title: string;
  readonly expr: string;
}

/** Labels that Prometheus itself adds to every sample. */
const OF_PROMETHEUS = ['job', 'instance'];

const ALL = Object.values<Instrument>(INSTRUMENTS);

/** Without the suffixes of histogram samples. */
function toSampleName(one: Instrument): string {
  return ['counter', 'observed counter'].includes(one.kind) ? `${toFamilyName(one)}_total` : toFamilyName(one);
}

/** The labels of each exposed sample, by name. */
const SAMPLES = new Map(
  ALL.flatMap((one): [string, readonly string[]][] => {
    const name = toSampleName(one);
    const labels = [...one.attributes.map(toLabel), ...OF_PROMETHEUS];
    if (one.kind !== 'histogram') return [[name, labels]];
    return [
      [`${name}_bucket`, [...labels, 'le']],
      [`${name}_count`, labels],
      [`${name}_sum`, labels],
    ];
  }),
).set('up', OF_PROMETHEUS);

async function dashboardQueries(): Promise<Query[]> {
  const { panels, templating } = JSON.parse(await readFile('deploy/monitoring/grafana-dashboard.json', 'utf8'));
  const ofPanels = panels.flatMap(({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })),
  );
  const ofVariables = templating.list.flatMap(({ name, type, query }: { name: string; type: string; query: string }) =>
    type === 'query'
      ? [{ title: `variable ${name}`, expr: /^label_values\((.*), \w+\)$/.exec(query)?.[1] ?? query }]
      : [],
  );
  return [...ofPanels, ...ofVariables];
}

async function rules() {
  const { groups } = parse(await readFile('deploy/monitoring/prometheus-alerts.yaml', 'utf8'));
  return groups.flatMap((group: { rules: Record<string, unknown>[] }) => group.rules) as {
    readonly alert: string;
    readonly expr: string;
    readonly annotations: Record<string, string>;
  }[];
}

async function allQueries(): Promise<Query[]> {
  return [...(await dashboardQueries()), ...(await rules()).map(({ alert, expr }) => ({ title: alert, expr }))];
}

/** Clauses that name labels, such as `by (tool)`. */
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
/** A name that is no function, and the labels that select its samples. */
const SELECTOR = /\b([a-z_:][\w:]*)\b(?!\s*\()\s*(?:\{([^}]*)\})?/gi;
const OPERATORS = ['and', 'or', 'unless', 'bool', 'offset'];

/** The parts of a query: each metric with its selecting labels, and the labels that group the results. */
function readQuery({ expr }: Pick<Query, 'expr'>) {
  const grouped = [...expr.matchAll(GROUPING)].flatMap(([, labels = '']) => labels.match(/\w+/g) ?? []);
  const withoutClauses = expr.replaceAll(GROUPING, '').replaceAll(/\[[^\]]*\]/g, '');
  const selectors = [...withoutClauses.matchAll(SELECTOR)]
    .map(([, metric = '', matchers = '']) => ({
      metric,
      labels: matchers.match(/\w+(?=\s*(?:=|!=|!~)\s*~?\s*")/g) ?? [],
    }))
    .filter(({ metric }) => !OPERATORS.includes(metric));
  return { selectors, grouped };
}

test('the documentation lists every metric with its labels', async () => {
  const rows = (await readFile('docs/reference/metrics.md', 'utf8'))
    .split('\n')
    .filter((line) => /^\| `[a-z0-9.]+\./.test(line));
  const cellsOf = (row: string) =>
    row
      .replaceAll('`', '')
      .split('|')
      .slice(1, 4)
      .map((cell) => cell.trim());
  const documented = rows.map(cellsOf);
  expect(documented).toEqual(ALL.map((one) => [one.name, toSampleName(one), one.attributes.join(', ')]));
});

describe('the dashboard and the alerts', () => {
  test('use only metrics and labels of the gateway', async () => {
    const queries = await allQueries();
    expect(queries.length).toBeGreaterThan(25);
    for (const query of queries) {
      const { selectors, grouped } = readQuery(query);
      expect(selectors, query.title).not.toEqual([]);
      for (const { metric, labels } of selectors) {
        const known = SAMPLES.get(metric);
        expect(known, `${query.title}: ${metric}`).toBeDefined();
        for (const label of [...labels, ...grouped]) expect(known, `${query.title}: ${metric}`).toContain(label);
      }
    }
  });

  test('use only existing outcomes of calls', async () => {
    const named = (await allQueries()).flatMap(({ expr }) =>
      [...expr.matchAll(/gateway_outcome!?="(\w+)"/g)].map((match) => match[1]),
    );
    expect(named.length).toBeGreaterThan(2);
    for (const outcome of named) expect(OUTCOMES).toContain(outcome);
  });

  test('are read with every metric and label, even unknown ones', () => {
    const expr = 'sum by (user_id) (rate(gateway_calls{tool="a", code=~"b"}[5m])) > 1 and on (job) up == 0';
    expect(readQuery({ expr })).toEqual({
      selectors: [
        { metric: 'gateway_calls', labels: ['tool', 'code'] },
        { metric: 'up', labels: [] },
      ],
      grouped: ['user_id', 'job'],
    });
  });

  test('use every metric of a gateway, except a few that others include', async () => {
    const used = new Set(
      (await allQueries()).flatMap((query) => readQuery(query).selectors.map(({ metric }) => metric)),
    );
    const unused = ALL.map((one) => ({ name: one.name, family: toFamilyName(one) })).filter(
      ({ family }) => ![...used].some((metric) => metric.startsWith(family)),
    );
    expect(unused.map(({ name }) => name)).toEqual([
      'db.client.connection.max',
      'nodejs.eventloop.delay.p50',
      'nodejs.eventloop.delay.max',
      'nodejs.eventloop.utilization',
      'v8js.memory.heap.limit',
    ]);
  });

  test('have panels with a title and a unit that do not overlap', async () => {
    const { panels } = JSON.parse(await readFile('deploy/monitoring/grafana-dashboard.json', 'utf8'));
    const places = panels.map(({ gridPos }: { gridPos: object }) => JSON.stringify(gridPos));
    expect(new Set(places).size).toBe(places.length);
    for (const { type, title, fieldConfig } of panels) {
      expect(title).not.toBe('');
      if (type !== 'row') expect(fieldConfig.defaults.unit).toMatch(/./);
    }
  });

  test('say what happened and what to do', async () => {
    for (const { alert, annotations } of await rules()) {
      expect(Object.keys(annotations), alert).toEqual(['summary', 'action']);
      const named = [...(annotations.summary ?? '').matchAll(/\$labels\.(\w+)/g)].map((match) => match[1]);
      const rule = (await rules()).find((one) => one.alert === alert)!;
      const { selectors, grouped } = readQuery(rule);
      const left = grouped.length > 0 ? grouped : selectors.flatMap(({ metric }) => SAMPLES.get(metric) ?? []);
      for (const label of named) expect(left, alert).toContain(label);
    }
  });
});
