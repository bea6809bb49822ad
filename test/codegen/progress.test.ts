import { describe, expect, test } from 'vitest';
import { createProgressPrinter } from '../../codegen/progress.ts';

type Event = [milliseconds: number, service: string, next?: string];

const EVENTS: Event[] = [
  [0, 'notes'],
  [1900, 'notes', '1 of 3 tools'],
  [2500, 'notes', '2 of 3 tools'],
  [2600, 'notes', '3 of 3 tools'],
  [2650, 'notes', 'types'],
  [4500, 'notes', 'page'],
  [4600, 'others'],
  [6700, 'others', '1 of 2 tools'],
];

function printed(isTerminal: boolean, intervalMs: number): string[] {
  let time = 0;
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const { stage, step, end } = createProgressPrinter({ write, isTerminal, quietMs: 2000, intervalMs, now: () => time });
  for (const [milliseconds, service, next] of EVENTS) {
    time = milliseconds;
    if (next === undefined) stage(service, 'emit');
    else step(service, 'emit', next);
  }
  end();
  return texts;
}

describe('the progress of a service that takes long', () => {
  test('is an occasional line in a log', () => {
    expect(printed(false, 2000)).toEqual([
      'notes: emit 2 of 3 tools ...\n',
      'notes: emit page ...\n',
      'others: emit 1 of 2 tools ...\n',
    ]);
  });

  test('is one line on a terminal, which is cleared at the end', () => {
    expect(printed(true, 100)).toEqual([
      '\r\x1b[2Knotes: emit 2 of 3 tools ...',
      '\r\x1b[2Knotes: emit 3 of 3 tools ...',
      '\r\x1b[2Knotes: emit types ...',
      '\r\x1b[2Knotes: emit page ...',
      '\r\x1b[2Kothers: emit 1 of 2 tools ...',
      '\r\x1b[2K',
    ]);
  });

  test('is not printed where nothing took long', () => {
    const texts: string[] = [];
    const { stage, end } = createProgressPrinter({
      write: (text) => void texts.push(text),
      isTerminal: true,
      quietMs: 2000,
      intervalMs: 100,
      now: () => 0,
    });
    stage('notes', 'load');
    end();
    expect(texts).toEqual([]);
  });
});
