/** Describes the effects of tools, in the same words on every page. */

import { EFFECTS, type Effect, type EffectCounts } from './facts.ts';

const VERBS: Readonly<Record<Effect, readonly [one: string, many: string]>> = {
  reads: ['reads', 'read'],
  writes: ['writes', 'write'],
  destroys: ['deletes or overwrites', 'delete or overwrite'],
};

/** The effect of one tool, such as `deletes or overwrites`. */
export function effectName(effect: Effect): string {
  return VERBS[effect][0];
}

/** Tools by effect, the least risk first: `[[12, 'read'], [1, 'deletes or overwrites']]`. Effects without tools are absent. */
export function countedVerbs(counts: EffectCounts): (readonly [count: number, verb: string])[] {
  return EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => {
    const [one, many] = VERBS[effect];
    return [counts[effect], counts[effect] === 1 ? one : many];
  });
}

/** For example `12 tools that read, 1 that deletes or overwrites`, or as a clause `12 tools read, 1 deletes or overwrites`. */
export function toolCounts(counts: EffectCounts, form: 'phrase' | 'clause' = 'phrase'): string {
  return countedVerbs(counts)
    .map(([count, verb], index) => {
      const words = [count, ...(index > 0 ? [] : [count === 1 ? 'tool' : 'tools'])];
      return [...words, ...(form === 'phrase' ? ['that'] : []), verb].join(' ');
    })
    .join(', ');
}
