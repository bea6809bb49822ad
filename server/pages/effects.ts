/** What tools do, in the words of every page. */

import { EFFECTS, type Effect, type EffectCounts } from '../tools/catalogue/facts.ts';

const VERBS: Readonly<Record<Effect, readonly [one: string, many: string]>> = {
  reads: ['reads', 'read'],
  writes: ['writes', 'write'],
  destroys: ['deletes or overwrites', 'delete or overwrite'],
};

/** What one tool does, such as `deletes or overwrites`. */
export function effectName(effect: Effect): string {
  return VERBS[effect][0];
}

/** How many tools do what, the least risk first, such as `[[12, 'read'], [1, 'deletes or overwrites']]`. No tools: not there. */
export function countedVerbs(counts: EffectCounts): (readonly [count: number, verb: string])[] {
  return EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => {
    const [one, many] = VERBS[effect];
    return [counts[effect], counts[effect] === 1 ? one : many];
  });
}

/** Such as `12 tools that read, 1 that deletes or overwrites`, or as a clause `12 tools read, 1 deletes or overwrites`. */
export function toolCounts(counts: EffectCounts, form: 'phrase' | 'clause' = 'phrase'): string {
  return countedVerbs(counts)
    .map(([count, verb], index) => {
      const words = [count, ...(index > 0 ? [] : [count === 1 ? 'tool' : 'tools'])];
      return [...words, ...(form === 'phrase' ? ['that'] : []), verb].join(' ');
    })
    .join(', ');
}
