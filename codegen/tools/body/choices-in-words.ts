/** Describes in words what a flat input schema cannot express: which members of a body belong together. */

import type { BodyPlan } from './index.ts';

/**
 * Sentences about the body of a tool; empty if there is no choice.
 * ¶ @param nameOf name of the argument for a member of the body, if there is one
 */
export function toChoiceText(body: BodyPlan, nameOf: (member: string) => string | undefined): string {
  if (body.kind !== 'members') return '';
  const sentences = body.choices.flatMap(({ mode, groups }) => {
    const offered = groups
      .map((group) => group.map(nameOf))
      .filter((group) => group.every((name) => name !== undefined));
    const options = [...new Set(offered.map((group) => toConjunction(group)))];
    return options.length < 2 ? [] : [`Give ${mode} of: ${options.join('; ')}.`];
  });
  const together = body.neededTogether.flatMap((name) => nameOf(name) ?? []);
  const members = body.members.flatMap(({ name }) => nameOf(name) ?? []);
  if (together.length > 0 && members.length > together.length) {
    sentences.push(
      `With any of ${members.filter((name) => !together.includes(name)).join(', ')} also give ${toConjunction(together)}.`,
    );
  }
  return sentences.join(' ');
}

/** `a, b and c`. */
function toConjunction(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
