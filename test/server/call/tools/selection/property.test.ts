import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Aggregation } from '../../../../../server/call/tools/selection/aggregate.ts';
import { readCondition } from '../../../../../server/call/tools/selection/condition.ts';
import { createLookup, itemsOf } from '../../../../../server/call/tools/selection/items.ts';
import { readSelection } from '../../../../../server/call/tools/selection/selection.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { type Item, LIST } from './support.ts';

type Leaf = string | number | boolean | null;

const day = fc
  .constantFrom(0, 1, 30, 31, 32, 365, 366, 800)
  .map((days) => new Date(Date.UTC(2024, 0, 1 + days)).toISOString());
const moment = fc.tuple(day, fc.constantFrom(0, 3600, 86_399)).map(([text, seconds]) => {
  return new Date(Date.parse(text) + seconds * 1000).toISOString();
});
const word: fc.Arbitrary<string> = fc.constantFrom('Ana', 'ana', 'BO', 'Bolt', 'x-1', '', 'é', 'open');
const item = fc.record(
  {
    id: fc.integer({ min: 0, max: 20 }),
    name: fc.option(word),
    amount: fc.option(fc.constantFrom(-2, -0.5, 0, 1, 1.5, 2)),
    createdAt: moment,
    emails: fc.array(word, { maxLength: 3 }),
    owner: fc.record({ name: fc.option(word) }, { requiredKeys: [] }),
    fields: fc.array(fc.record({ name: word, value: fc.record({ text: word }) }), { maxLength: 3 }),
  },
  { requiredKeys: ['id'] },
);

interface Case {
  readonly where: Record<string, unknown>;
  readonly plain: (item: Item) => boolean;
}

const textsOf = (item: Item, name: string): Leaf[] => [item[name] ?? []].flat() as Leaf[];
const lower = (text: unknown) => String(text).toLowerCase();
const text = (name: string): fc.Arbitrary<Case> =>
  fc.oneof(
    word.map((value) => ({ where: { [name]: value }, plain: (one: Item) => textsOf(one, name).includes(value) })),
    fc.array(word, { minLength: 1, maxLength: 3 }).map((values) => ({
      where: { [name]: { in: values } },
      plain: (one: Item) => textsOf(one, name).some((each) => values.includes(each as string)),
    })),
    fc.tuple(fc.constantFrom('contains', 'startsWith', 'endsWith'), word).map(([operator, value]) => ({
      where: { [name]: { [operator]: value } },
      plain: (one: Item) =>
        textsOf(one, name).some((each) => {
          if (each === null) return false;
          const [own, wanted] = [lower(each), lower(value)];
          if (operator === 'contains') return own.indexOf(wanted) >= 0;
          return operator === 'startsWith'
            ? own.slice(0, wanted.length) === wanted
            : own.slice(own.length - wanted.length) === wanted;
        }),
    })),
    fc.boolean().map((exists) => ({
      where: { [name]: { exists } },
      plain: (one: Item) => textsOf(one, name).some((each) => each !== null) === exists,
    })),
  );
const RELATIONS = {
  less: (a: number, b: number) => a < b,
  more: (a: number, b: number) => a > b,
  atLeast: (a: number, b: number) => a >= b,
  atMost: (a: number, b: number) => a <= b,
};
const relation = fc.constantFrom(...(Object.keys(RELATIONS) as (keyof typeof RELATIONS)[]));
const number = fc.tuple(relation, fc.constantFrom(-2, -0.5, 0, 1, 1.5, 2)).map(
  ([name, bound]): Case => ({
    where: { amount: { [name]: bound } },
    plain: ({ amount }) => typeof amount === 'number' && RELATIONS[name](amount, bound),
  }),
);
const date = fc.tuple(fc.constantFrom('before', 'after'), moment).map(
  ([name, bound]): Case => ({
    where: { createdAt: { [name]: bound } },
    plain: ({ createdAt }) =>
      createdAt !== undefined &&
      (name === 'before'
        ? Date.parse(createdAt as string) < Date.parse(bound)
        : Date.parse(createdAt as string) > Date.parse(bound)),
  }),
);
const together = fc.tuple(word, word).map(
  ([name, value]): Case => ({
    where: { fields: { name, value: { text: { contains: value } } } },
    plain: ({ fields }) =>
      ((fields ?? []) as { name: string; value: { text: string } }[]).some(
        (field) => field.name === name && lower(field.value.text).includes(lower(value)),
      ),
  }),
);
const owner = word.map(
  (value): Case => ({
    where: { 'owner.name': { not: value } },
    plain: (one) => (one.owner as { name?: string } | undefined)?.name !== value,
  }),
);
const { tree } = fc.letrec<{ tree: Case; many: Case[] }>((tie) => ({
  many: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text('name'),
    text('emails'),
    number,
    date,
    together,
    owner,
    tie('many').map((cases) => ({
      where: { or: cases.map(({ where }) => where) },
      plain: (one: Item) => cases.some(({ plain }) => plain(one)),
    })),
    tie('many').map((cases) => ({
      where: { and: cases.map(({ where }) => where) },
      plain: (one: Item) => cases.every(({ plain }) => plain(one)),
    })),
    tie('tree').map(({ where, plain }) => ({ where: { not: where }, plain: (one: Item) => !plain(one) })),
  ),
}));

const items = itemsOf(LIST);
if (items === null) throw new Error('the tool has no list');
const place = createLookup('where', items);
const fits = ({ where }: Case): boolean => {
  try {
    return readCondition(where, place) !== null;
  } catch {
    return false;
  }
};

test('a condition accepts the items that a plain filter accepts', () => {
  fc.assert(
    fc.property(tree.filter(fits), fc.array(item, { maxLength: 12 }), ({ where, plain }, list) => {
      const { accepts } = readCondition(where, place);
      expect(list.filter(accepts)).toEqual(list.filter(plain));
    }),
    { numRuns: numRuns(2000) },
  );
});

test('any JSON as a condition, an order or an aggregate is read or refused in a sentence', () => {
  const json = fc.jsonValue({ maxDepth: 6 });
  const named = fc.dictionary(
    fc.constantFrom('name', 'owner', 'not', 'or', '$in', 'by', 'per', 'sum', '__proto__'),
    json,
  );
  fc.assert(
    fc.property(fc.oneof(json, named), fc.string(), fc.array(item, { maxLength: 3 }), (value, sort, list) => {
      for (const given of [{ where: value }, { aggregate: value }, { sort }]) {
        try {
          const selection = readSelection(LIST, { where: null, sort: null, aggregate: null, ...given });
          for (const one of list) selection?.condition?.accepts(one);
        } catch (error) {
          expect(error).toMatchObject({ name: 'SelectionError' });
          expect((error as Error).message.length).toBeLessThan(700);
        }
      }
    }),
    { numRuns: numRuns(2000) },
  );
});

test('figures are those of a plain computation, whatever the order of the items', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), (list) => {
      const selection = readSelection(LIST, {
        where: null,
        sort: null,
        aggregate: { min: 'amount', max: 'amount', sum: 'id', by: 'createdAt', per: 'month' },
      });
      if (selection?.aggregate == null) throw new Error('no aggregate');
      const aggregation = new Aggregation(selection.aggregate, null);
      for (const one of list) aggregation.add(one);
      const keyOf = ({ createdAt }: Item) => (createdAt as string | undefined)?.slice(0, 7) ?? null;
      const figuresOf = (group: readonly Item[]) => {
        const amounts = group.flatMap(({ amount }) => (typeof amount === 'number' ? [amount] : []));
        return {
          count: group.length,
          min: amounts.length === 0 ? null : Math.min(...amounts),
          max: amounts.length === 0 ? null : Math.max(...amounts),
          sum: group.length === 0 ? null : group.reduce((sum, { id }) => sum + (id as number), 0),
        };
      };
      const keys = [...new Set(list.map(keyOf))].sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
      expect(aggregation.result).toEqual({
        ...figuresOf(list),
        groups: keys.map((by) => ({ by, ...figuresOf(list.filter((one) => keyOf(one) === by)) })),
      });
    }),
    { numRuns: numRuns(500) },
  );
});
