import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Places } from '../../../../../server/call/upstream/circuits/places.ts';

interface Waiting {
  readonly id: number;
  readonly client: AbortController;
  readonly expire: () => void;
}

const ACTS = ['take', 'probe', 'free', 'abort', 'expire'] as const;

test('no more than the cap are active or wait, none is overtaken, and no place is lost', async () => {
  const plan = fc.record({ count: fc.integer({ min: 1, max: 4 }), acts: fc.array(fc.constantFrom(...ACTS)) });
  await fc.assert(
    fc.asyncProperty(plan, async ({ count, acts }) => {
      const expiries: (() => void)[] = [];
      const places = new Places(
        count,
        (_, signal) =>
          new Promise((resolve, reject) => {
            expiries.push(resolve);
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
      );
      const queue: Waiting[] = [];
      const ended: Promise<unknown>[] = [];
      let held = 0;
      let probes = 0;
      const leave = (id: number) =>
        queue.splice(
          queue.findIndex((each) => each.id === id),
          1,
        );
      const wait = (id: number): void => {
        const client = new AbortController();
        if (places.waiting === count) {
          ended.push(expect(places.takeNext(1, client.signal)).rejects.toMatchObject({ kind: 'busy' }));
          return;
        }
        const admitted = places.takeNext(1, client.signal).then(
          () => {
            expect(queue[0]?.id).toBe(id);
            leave(id);
            held += 1;
          },
          () => leave(id),
        );
        ended.push(admitted);
        queue.push({ id, client, expire: expiries.at(-1) ?? (() => {}) });
      };
      for (const [id, act] of acts.entries()) {
        if (act === 'take') {
          if (places.take()) held += 1;
          else wait(id);
        } else if (act === 'probe') {
          places.take(true);
          held += 1;
          probes += 1;
        } else if (act === 'free' && held > 0) {
          const before = places.taken;
          held -= 1;
          places.free();
          if (before > count) expect(places.taken).toBe(before - 1);
        } else if (act === 'abort') queue.at(-1)?.client.abort();
        else if (act === 'expire') queue[0]?.expire();
        await new Promise((resolve) => setImmediate(resolve));
        expect(places.taken).toBe(held);
        expect(places.taken).toBeLessThanOrEqual(count + probes);
        expect(places.waiting).toBe(queue.length);
        expect(places.waiting).toBeLessThanOrEqual(count);
        if (places.waiting > 0) expect(places.taken).toBeGreaterThanOrEqual(count);
      }
      for (; held > 0 || queue.length > 0; held -= 1) {
        places.free();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(ended);
      expect(places).toMatchObject({ taken: 0, waiting: 0 });
    }),
  );
});
