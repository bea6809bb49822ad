import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerPart, type AnswerPosition, cut } from '../../../../../server/call/tools/results/cut-answer.ts';
import { escapeTags } from '../../../../../server/call/tools/results/errors.ts';
import { measure, pieceThatFits } from '../../../../../server/call/tools/results/measure.ts';
import { numRuns } from '../../../../support/num-runs.ts';
import { reassemble } from './reassemble.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(escapeTags(JSON.stringify(value)));

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom('\u{e0041}\u{e007f}', '\ud800', 'line\nline\n'.repeat(60), '"\\'.repeat(50), '__proto__'),
);
const { answer } = fc.letrec((tie) => ({
  leaf: fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('list'), tie('object')),
  list: fc.array(tie('node'), { maxLength: 9 }),
  object: fc.dictionary(fc.oneof(fc.string({ maxLength: 12 }), fc.constant('id')), tie('node'), { maxKeys: 7 }),
  answer: fc.oneof(tie('list'), tie('object')),
}));

interface PartAt {
  readonly part: AnswerPart;
  readonly from: AnswerPosition;
}

function partsOf(value: unknown, limit: number): [PartAt, ...PartAt[]] {
  const sizeOf = measure(limit);
  const parts: PartAt[] = [];
  let from: AnswerPosition | null = null;
  do {
    const part = cut(value, from, { sizeOf, limit });
    if (part === null) throw new Error(`stuck at ${JSON.stringify(from)}`);
    parts.push({ part, from: from ?? [] });
    from = part.next;
  } while (from !== null && parts.length < 10_000);
  return parts as [PartAt, ...PartAt[]];
}

describe('a cut answer', () => {
  it('is exactly the sum of its parts, each within the limit', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 600, max: 6000 }), (drawn, limit) => {
        const value: unknown = JSON.parse(JSON.stringify(drawn));
        const parts = partsOf(value, limit);
        for (const { part } of parts) expect(bytesOf(part.value)).toBeLessThanOrEqual(limit);
        const all = parts.reduce<unknown>((sum, { part, from }) => reassemble(sum, part.value, from, value), undefined);
        expect(all).toEqual(value);
      }),
      { numRuns: numRuns(500) },
    );
  });

  it('says what is missing exactly when something is', () => {
    fc.assert(
      fc.property(answer, (drawn) => {
        const value: unknown = JSON.parse(JSON.stringify(drawn));
        const [first] = partsOf(value, 600);
        expect(first?.part.shownRanges.length === 0).toBe(first?.part.next === null);
      }),
    );
  });

  const record = (id: number) => ({ id, name: 'x'.repeat(80) });
  const list = Array.from({ length: 50 }, (_, id) => record(id));
  const first = (value: unknown, limit: number) => partsOf(value, limit)[0]?.part;

  it('loses elements from the end of its largest array and keeps everything else', () => {
    const small = [1, 2, 3];
    const part = first({ data: list, small, next: 'abc' }, 1000);
    expect(part?.value).toEqual({ data: list.slice(0, 9), small, next: 'abc' });
    expect(part?.shownRanges).toEqual([{ at: 'data', of: 'elements', from: 0, to: 9, total: 50 }]);
  });

  it('cuts inside an element that alone is too large, and repeats its identity in the next part', () => {
    const value = { data: [{ id: 7, lines: list }, record(1)] };
    const parts = partsOf(value, 1000);
    expect(parts[0]?.part.value).toEqual({ data: [{ id: 7, lines: list.slice(0, 9) }] });
    expect(parts[0]?.part.shownRanges).toEqual([
      { at: 'data', of: 'elements', from: 0, to: 1, total: 2 },
      { at: 'data[0].lines', of: 'elements', from: 0, to: 9, total: 50 },
    ]);
    expect(parts[1]?.part.value).toEqual({ data: [{ id: 7, lines: list.slice(9, 18) }] });
  });

  it('leaves an element to the next part rather than cut inside it', () => {
    const large = { id: 1, text: 'y'.repeat(700), more: ['z'.repeat(100)] };
    const parts = partsOf([record(0), large], 900);
    expect(parts.map(({ part }) => part.value)).toEqual([[record(0)], [large]]);
  });

  it('lists what was not reached', () => {
    const part = first({ data: list, others: [...list, record(50)] }, 1000);
    expect(part?.shownRanges).toContainEqual({ at: 'others', of: 'elements', from: 0, to: 0, total: 51 });
    expect(part?.value).not.toHaveProperty('others');
  });

  it('cuts a text only where it alone is too large, at the end of a line', () => {
    const long = 'one line of words\n'.repeat(100);
    const parts = partsOf({ id: 3, text: long, tags: ['a', 'b'] }, 1000);
    const [{ part }] = parts;
    const { text: shown } = part.value as { text: string };
    expect(shown.endsWith('\n')).toBe(true);
    expect(part.shownRanges).toEqual([{ at: 'text', of: 'characters', from: 0, to: shown.length, total: 1800 }]);
    expect(parts[1]?.part.value).toMatchObject({ id: 3 });
  });

  it('has no useful part where not even one member fits', () => {
    const value = { ['k'.repeat(2000)]: 1 };
    expect(cut(value, null, { sizeOf: measure(1000), limit: 1000 })).toBeNull();
  });

  it('has no part at a position outside it', () => {
    const value = { data: [1, 2, 3] };
    expect(cut(value, [4, 1], { sizeOf: measure(1000), limit: 1000 })).toBeNull();
    expect(cut(value, [0, 9], { sizeOf: measure(1000), limit: 1000 })).toBeNull();
  });
});

describe('the size of a part', () => {
  it('is the size of its JSON', () => {
    fc.assert(
      fc.property(answer, (drawn) => {
        const value: unknown = JSON.parse(JSON.stringify(drawn));
        expect(measure()(value)).toBe(bytesOf(value));
      }),
    );
  });

  it('limits a piece of text without splitting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 20, max: 200 }), (whole, room) => {
        const { piece, to } = pieceThatFits(whole, 0, room);
        expect(bytesOf(piece)).toBeLessThanOrEqual(room);
        expect(whole.slice(0, to)).toBe(piece);
        expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });
});
