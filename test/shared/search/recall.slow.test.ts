import { beforeAll, describe, expect, test } from 'vitest';
import { measureSearch, type RecallFigure, UNSEEN, UNSERVABLE } from './measure-recall.ts';

let figures: ReadonlyMap<string, RecallFigure> = new Map();
beforeAll(async () => {
  figures = new Map((await measureSearch()).map((figure) => [figure.title, figure]));
}, 120_000);

describe('recall in the first five tools', () => {
  test.each([
    ['five connectors', 0.95],
    [`five connectors${UNSEEN}`, 0.83],
    ['GitHub', 0.9],
    [`GitHub${UNSEEN}`, 0.88],
  ])('%s: at least %d', (title, least) => {
    const { recall, missed } = figures.get(title)!;
    expect(recall, title.endsWith(UNSEEN) ? title : missed.join('\n')).toBeGreaterThanOrEqual(least);
  });
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

  test('to two thirds of those that no tool serves', () => {
    expect(sum((title) => title.startsWith(UNSERVABLE))).toBeGreaterThanOrEqual(0.66);
  });
});
