import { beforeAll, describe, expect, test } from 'vitest';
import { measureSearch, type RecallFigure, UNSEEN, UNSERVABLE } from './measure-recall.ts';

let figures: ReadonlyMap<string, RecallFigure> = new Map();
beforeAll(async () => {
  figures = new Map((await measureSearch()).map((figure) => [figure.title, figure]));
}, 120_000);

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
    [`five connectors, winter${UNSEEN}`, 0.83],
    [`GitHub, winter${UNSEEN}`, 0.88],
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

describe('a search says that nothing fits', () => {
  const sum = (isWanted: (title: string) => boolean) => {
    const wanted = [...figures.values()].filter(({ title }) => isWanted(title));
    const count = (of: (figure: RecallFigure) => number) => wanted.reduce((all, figure) => all + of(figure), 0);
    return count(({ refused }) => refused) / count(({ requests }) => requests);
  };

  test('to at most one in a hundred requests that a tool serves', () => {
    expect(sum((title) => !title.startsWith(UNSERVABLE))).toBeLessThanOrEqual(0.01);
  });

  test.each(['tuned', 'unseen'])('to two thirds of the %s ones that no tool serves', (kind) => {
    const isUnseen = kind === 'unseen';
    expect(sum((title) => title.startsWith(UNSERVABLE) && title.endsWith(UNSEEN) === isUnseen)).toBeGreaterThanOrEqual(
      0.66,
    );
  });
});
