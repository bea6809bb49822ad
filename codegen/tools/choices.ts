/** Says in words what an input schema cannot: which members of a body go together, and which forms it can have. */

import type { BodyPlan } from './body.ts';
import { wireKey } from './wire.ts';

/**
 * Sentences about the body of a tool; empty where there is nothing to choose.
 *
 * @param argumentOf names of the arguments by `wireKey`
 */
export function toChoiceText(body: BodyPlan, argumentOf: ReadonlyMap<string, string>): string {
  if (body.kind === 'whole') return body.forms === '' ? '' : `body: ${body.forms}`;
  if (body.kind !== 'members') return '';
  const nameOf = (wireName: string) => argumentOf.get(wireKey({ in: 'body', name: wireName }));
  const sentences = body.choices.flatMap(({ mode, groups }) => {
    const offered = groups.map((group) => group.map(nameOf)).filter((group) => !group.includes(undefined));
    const options = [...new Set(offered.map((group) => group.join(' with ')))];
    return options.length < 2 ? [] : [`Give ${mode} of: ${options.join('; ')}.`];
  });
  const together = body.neededTogether.flatMap((name) => nameOf(name) ?? []);
  const members = body.members.flatMap(({ name }) => nameOf(name) ?? []);
  if (together.length > 0 && members.length > together.length) {
    sentences.push(
      `With any of ${members.filter((name) => !together.includes(name)).join(', ')} also give ${together.join(', ')}.`,
    );
  }
  return sentences.join(' ');
}
