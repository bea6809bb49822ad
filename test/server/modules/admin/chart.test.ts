import { expect, test } from 'vitest';
import { chart } from '../../../../server/modules/admin/view/chart.ts';

const rest = {
  clock: { since: 0, step: 3_600_000, labelRange: [11, 16] as const },
  linkOf: (slice: number) => `/calls?slice=${slice}`,
};
const svgOf = (markup: string) => /<svg class="chart" viewBox="0 0 480[\s\S]*?<\/svg>/.exec(markup)![0];

test('columns are stacked and labelled', () => {
  const markup = String(
    chart({
      title: 'Calls',
      kind: 'columns',
      labels: ['10:00', '11:00'],
      ...rest,
      series: [
        { name: 'answered', color: 1, values: [3, 0] },
        { name: 'failed', color: 2, values: [1, 0] },
      ],
    }),
  );
  const rects = [...svgOf(markup).matchAll(/<rect class="(s\d)"[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"/g)];
  expect(rects.map(([, name, y, height]) => [name, Number(y), Number(height)])).toEqual([
    ['s1', 60.5, 103.5],
    ['s2', 26, 34.5],
  ]);
  expect(svgOf(markup).replaceAll(/<\/?tspan>/g, '')).toContain('>10:00: 3 answered, 1 failed</text>');
  expect([...svgOf(markup).matchAll(/<a class="slice" href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    '/calls?slice=0',
    '/calls?slice=1',
  ]);
  expect(markup).toContain('aria-label="Calls: answered up to 3, failed up to 1"');
});

test('lines have gaps for missing values, and a value between gaps is a dot', () => {
  const series = [{ name: 'median', color: 3 as const, values: [5, null, 10, 20] }];
  const markup = String(
    chart({ title: 'Latency', kind: 'lines', labels: ['a', 'b', 'c', 'd'], unit: 'ms', series, ...rest }),
  );
  const [, path] = /class="l3" d="([^"]+)"\/>/.exec(markup)!;
  expect(path).toMatch(/^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
  expect(markup.match(/<circle class="s3" cx="97.5" cy="129.5"/g)).toHaveLength(1);
  expect(markup).toContain('<tspan>b</tspan>: – median</text>');
  expect(markup).toContain('<tspan>d</tspan>: 20 ms median</text>');
});

test.each([
  [0, ['0', '1', '2', '3', '4']],
  [5, ['0', '2', '4', '6', '8']],
  [130, ['0', '50', '100', '150', '200']],
  [90_000, ['0', '30k', '60k', '90k', '120k']],
])('the scale of values up to %d has whole steps', (value, ticks) => {
  const series = [{ name: 'x', color: 1 as const, values: [value] }];
  const svg = svgOf(String(chart({ title: 'T', kind: 'lines', labels: ['now'], series, ...rest })));
  expect([...svg.matchAll(/text-anchor="end">([^<]*)<\/text>/g)].map(([, text]) => text)).toEqual(ticks);
});

test('no values are drawn as an empty chart', () => {
  const series = [{ name: 'x', color: 1 as const, values: [null, null] }];
  const markup = String(chart({ title: 'T', kind: 'lines', labels: ['a', 'b'], series, ...rest }));
  expect(markup).not.toContain('NaN');
  expect(markup).toContain('aria-label="T: x none"');
});
