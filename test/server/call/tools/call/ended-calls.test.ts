import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CallOutcome } from '../../../../../server/call/tools/call/call-outcome.ts';
import type { EndedCall } from '../../../../../server/call/tools/call/dependencies.ts';
import type { Call } from '../../../../../server/call/tools/call/state.ts';
import { createEndedCalls, type EndedCalls } from '../../../../../server/call/tools/ended-calls.ts';

describe('createEndedCalls', () => {
  const add = async ({ interceptor: collect }: EndedCalls, names: readonly string[]) => {
    const end = () => Promise.resolve({} as CallOutcome);
    await Promise.all(names.map((calledAs) => collect?.({ calledAs } as Call, end)));
  };
  const namesOf = (calls: readonly EndedCall[]) => calls.map(({ call }) => call.calledAs);
  const fail = (error: unknown) => expect(error).toBeUndefined();

  it('delivers what ended before the event loop turns as one batch, off the request path', async () => {
    const batches: string[][] = [];
    const ended = createEndedCalls([{}, { onCallsEnded: (calls) => void batches.push(namesOf(calls)) }], fail);
    await add(ended, ['a', 'b']);
    expect(batches).toEqual([]);
    await delay(5);
    await add(ended, ['c']);
    await delay(5);
    expect(batches).toEqual([['a', 'b'], ['c']]);
  });

  it('costs a call nothing where no module listens', () => {
    expect(createEndedCalls([{}], fail).interceptor).toBeUndefined();
  });

  it('holds at most 200 calls', async () => {
    const sizes: number[] = [];
    const ended = createEndedCalls([{ onCallsEnded: (calls) => void sizes.push(calls.length) }], fail);
    await add(ended, Array.from({ length: 450 }, String));
    await ended.stop();
    expect(sizes).toEqual([200, 200, 50]);
  });

  it('delivers the last batch when it stops, and waits for modules that still handle one', async () => {
    const handled: string[] = [];
    const onCallsEnded = async (calls: readonly EndedCall[]) => {
      await delay(20);
      handled.push(...namesOf(calls));
    };
    const ended = createEndedCalls([{ onCallsEnded }], fail);
    await add(ended, ['a']);
    await delay(5);
    await add(ended, ['b']);
    await ended.stop();
    expect(handled).toEqual(['a', 'b']);
  });

  it('reports an error of a module, and tells the others', async () => {
    const heard: string[] = [];
    const errors: unknown[] = [];
    const modules = [
      {
        onCallsEnded: () => {
          throw new Error('at once');
        },
      },
      { onCallsEnded: () => Promise.reject(new Error('later')) },
      { onCallsEnded: (calls: readonly EndedCall[]) => void heard.push(...namesOf(calls)) },
    ];
    const ended = createEndedCalls(modules, (error) => errors.push(error));
    await add(ended, ['a']);
    await ended.stop();
    expect([heard, errors]).toEqual([['a'], [new Error('at once'), new Error('later')]]);
  });
});
