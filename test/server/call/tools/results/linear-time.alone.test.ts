import { describe, expect, test } from 'vitest';
import { decodeBody, decodeErrorBody } from '../../../../../server/call/tools/results/decode.ts';
import { cleanText } from '../../../../../server/call/tools/results/errors.ts';
import { fitObject } from '../../../../../server/call/tools/results/fit-result.ts';
import { createRedactor } from '../../../../../server/call/upstream/index.ts';

const JSON_TOOL = { answersJson: true, outputSchema: { type: 'object' } } as const;
const SMALL = 8 * 1024;
const TIMES = 16;

function cpuOf(work: () => unknown, runs: number): number {
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) work();
  return process.cpuUsage(before).user;
}

function growthOf(handle: (text: string) => unknown, textOf: (length: number) => string): number {
  const [small, large] = [textOf(SMALL), textOf(SMALL * TIMES)];
  const growths = Array.from({ length: 3 }, () => {
    const often = cpuOf(() => handle(small), TIMES);
    return cpuOf(() => handle(large), 1) / Math.max(often, 1000);
  });
  return Math.min(...growths);
}

const filled = (piece: string) => (length: number) => piece.repeat(Math.ceil(length / piece.length));
const around =
  (start: string, piece: string, end: string) =>
  (length: number): string =>
    start + filled(piece)(length) + end;

const redactor = createRedactor([`${'a'.repeat(100)}b`, 'hunter22']);
const decode = (text: string) =>
  decodeBody(Buffer.from(text), { contentType: 'application/json', tool: JSON_TOOL, requested: {}, redactor });
const decodeError = (text: string) => decodeErrorBody(Buffer.from(text), 'text/plain', redactor);
const cutAnswer = (text: string) => {
  const answer = { data: JSON.parse(text) as unknown };
  const budget = { limit: 20_000, from: null, seal: () => 'handle', repeated: {}, advise: () => '', tool: 'tool' };
  return fitObject(answer, text, null, budget);
};
const nested = (piece: string) => (length: number) =>
  `${'[1,'.repeat(400)}[${filled(piece)(length)}1]${']'.repeat(400)}`;
const redactAll = (text: string) => redactor.text(text);

describe('work on an upstream answer grows linearly with its size', () => {
  test.each<[string, (text: string) => unknown, (length: number) => string]>([
    ['secrets that almost match', redactAll, filled('a')],
    ['many secrets', redactAll, filled('hunter22')],
    ['percent signs', redactAll, filled('%25')],
    ['escaped characters that almost match', redactAll, filled('\\u0061')],
    ['backslashes', redactAll, filled('\\')],
    ['entities', redactAll, filled('&amp;')],
    ['texts that contain escaped escapes', decode, around('[', '"\\u0025%61",', '1]')],
    ['numbers one digit short of inexact', decode, around('[', '123456789012345,', '1]')],
    ['inexact numbers', decode, around('[', '12345678901234567,', '1]')],
    ['one number with many digits', decode, around('', '1', '')],
    ['exponents in a string', decode, around('"', '1e12', '"')],
    ['many empty arrays', decode, around('[', '[],', '1]')],
    ['arrays in arrays', decode, (length) => '['.repeat(length / 2) + ']'.repeat(length / 2)],
    ['unclosed arrays', decode, filled('[')],
    ['an error with many line breaks', (text) => cleanText(String(decodeError(text))), filled('\n')],
    [
      'an error with lines that almost match stack traces',
      (text) => cleanText(String(decodeError(text))),
      filled('\n   a'),
    ],
    ['an error of nested arrays', decodeError, (length) => '['.repeat(length / 2) + ']'.repeat(length / 2)],
    ['an array that is cut', cutAnswer, around('[', '{"a":1},', '1]')],
    ['a deeply nested array that is cut', cutAnswer, nested('{"a":"b"},')],
    ['an array of long texts that is cut', cutAnswer, around('[', `"${'\\u0001'.repeat(500)}",`, '1]')],
    [
      'an object that is cut',
      cutAnswer,
      (length) => `{${Array.from({ length: length / 8 }, (_, at) => `"k${at}":1`).join()}}`,
    ],
    ['a text that is cut', cutAnswer, around('"', 'one word ', '"')],
  ])('%s', (_title, handle, textOf) => {
    expect(growthOf(handle, textOf)).toBeLessThan(6);
  });
});
