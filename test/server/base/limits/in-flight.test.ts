import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight } from '../../../../server/base/limits/breaker.ts';

interface Waiting {
  readonly id: number;
  readonly client: AbortController;
  readonly expire: () => void;
}

const ACTS = ['take', 'probe', 'free', 'abort', 'expire'] as const;

test('no more than the cap are active or wait, none is overtaken, and none is lost', async () => {
  const plan = fc.record({ count: fc.integer({ min: 1, max: 4 }), acts: fc.array(fc.constantFrom(...ACTS)) });
  await fc.assert(
    fc.asyncProperty(plan, async ({ count, acts }) => {
      const expiries: (() => void)[] = [];
      const requests = new InFlight(
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
        if (requests.waiting === count) {
          ended.push(expect(requests.beginLater(1, client.signal)).resolves.toBe('busy'));
          return;
        }
        const admitted = requests.beginLater(1, client.signal).then((waited) => {
          if (waited === 'taken') {
            expect(queue[0]?.id).toBe(id);
            held += 1;
          } else expect(['busy', 'cancelled']).toContain(waited);
          leave(id);
        });
        ended.push(admitted);
        queue.push({ id, client, expire: expiries.at(-1) ?? (() => {}) });
      };
      for (const [id, act] of acts.entries()) {
        if (act === 'take') {
          if (requests.begin()) held += 1;
          else wait(id);
        } else if (act === 'probe') {
          requests.begin(true);
          held += 1;
          probes += 1;
        } else if (act === 'free' && held > 0) {
          const before = requests.count;
          held -= 1;
          requests.end();
          if (before > count) expect(requests.count).toBe(before - 1);
        } else if (act === 'abort') queue.at(-1)?.client.abort();
        else if (act === 'expire') queue[0]?.expire();
        await new Promise((resolve) => setImmediate(resolve));
        expect(requests.count).toBe(held);
        expect(requests.count).toBeLessThanOrEqual(count + probes);
        expect(requests.waiting).toBe(queue.length);
        expect(requests.waiting).toBeLessThanOrEqual(count);
        if (requests.waiting > 0) expect(requests.count).toBeGreaterThanOrEqual(count);
      }
      for (; held > 0 || queue.length > 0; held -= 1) {
        requests.end();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(ended);
      expect(requests).toMatchObject({ count: 0, waiting: 0 });
    }),
  );
});
