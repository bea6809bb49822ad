import { beforeAll, describe, expect, test } from 'vitest';
import {
  type HitFigure,
  measureNamed,
  measureSearch,
  type RecallFigure,
  UNSEEN,
  UNSERVABLE,
} from './measure-recall.ts';

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

describe('requests that a name or an everyday verb decides', () => {
  let hits: ReadonlyMap<string, HitFigure> = new Map();
  beforeAll(async () => {
    hits = new Map((await measureNamed()).map((figure) => [figure.title, figure]));
  });

  test.each([
    ['names', 0.75, 0.95],
    [`names${UNSEEN}`, 0.7, 0.9],
  ])('%s: the first result serves at least %d, one of the first five %d', (title, first, firstFive) => {
    expect(hits.get(title)!.first).toBeGreaterThanOrEqual(first);
    expect(hits.get(title)!.firstFive).toBeGreaterThanOrEqual(firstFive);
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
