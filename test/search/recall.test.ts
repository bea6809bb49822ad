import { beforeAll, describe, expect, test } from 'vitest';
import { HELD_BACK, measureSearch, type RecallFigure } from '../../scripts/bench/search.ts';

let figures: ReadonlyMap<string, RecallFigure> = new Map();
beforeAll(async () => {
  figures = new Map((await measureSearch()).map((figure) => [figure.title, figure]));
});

const isHeldBack = ({ title }: RecallFigure): boolean => title.endsWith(HELD_BACK);

describe('of the tools that serve a request, the first five have', () => {
  test.each([
    ['five connectors', 0.95],
    ['five connectors, fresh', 0.94],
    ['GitHub', 0.85],
    ['Stripe', 0.85],
  ])('%s: at least %d', (title, least) => {
    expect(figures.get(title)?.missed.join('\n')).toBeDefined();
    expect(figures.get(title)?.recall).toBeGreaterThanOrEqual(least);
  });

  test.each([
    ['five connectors', 0.95],
    ['five connectors, second fresh', 0.96],
    ['GitHub', 0.85],
    ['Stripe', 0.85],
  ])('%s, held back: at least %d', (title, least) => {
    expect(figures.get(title + HELD_BACK)?.recall).toBeGreaterThanOrEqual(least);
  });
});

test('there are enough requests to tell, held back ones too', () => {
  const count = (held: boolean) =>
    [...figures.values()].filter((one) => isHeldBack(one) === held).reduce((sum, { requests }) => sum + requests, 0);
  expect(count(false)).toBeGreaterThanOrEqual(150);
  expect(count(true)).toBeGreaterThanOrEqual(120);
});
