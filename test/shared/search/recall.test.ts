import { beforeAll, describe, expect, test } from 'vitest';
import { measureSearch, type RecallFigure, UNSEEN } from './measure-recall.ts';

let figures: ReadonlyMap<string, RecallFigure> = new Map();
beforeAll(async () => {
  figures = new Map((await measureSearch()).map((figure) => [figure.title, figure]));
});

describe('recall in the first five tools', () => {
  test.each([
    ['five connectors', 0.95],
    [`five connectors${UNSEEN}`, 0.95],
    [`five connectors, later${UNSEEN}`, 0.85],
    ['GitHub', 0.9],
    [`GitHub${UNSEEN}`, 0.83],
    [`GitHub, longer${UNSEEN}`, 0.66],
    ['GitHub, everyday words', 0.83],
    ['GitHub, drawn by chance', 0.8],
    [`GitHub, drawn by chance${UNSEEN}`, 0.67],
    [`GitHub, drawn later${UNSEEN}`, 0.86],
    ['Stripe', 0.9],
  ])('%s: at least %d', (title, least) => {
    const { recall, missed } = figures.get(title)!;
    expect(recall, title.endsWith(UNSEEN) ? title : missed.join('\n')).toBeGreaterThanOrEqual(least);
  });
});

test('there are at least 150 requests of each kind, tuned and unseen', () => {
  const count = (unseen: boolean) =>
    [...figures.values()]
      .filter(({ title }) => title.endsWith(UNSEEN) === unseen)
      .reduce((sum, { requests }) => sum + requests, 0);
  expect(count(false)).toBeGreaterThanOrEqual(150);
  expect(count(true)).toBeGreaterThanOrEqual(150);
});
