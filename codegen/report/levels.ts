/** Severity levels of changes, from the worst to the most harmless. */

export const LEVELS = ['breaking', 'risk', 'behaviour', 'wording', 'addition'] as const;
export type Level = (typeof LEVELS)[number];

/** The meaning of each level, and what a reviewer does. */
export const LEVEL_TEXTS: Readonly<Record<Level, { readonly meaning: string; readonly toDo: string }>> = {
  breaking: {
    meaning: 'A call that worked may be refused, or an answer can no longer be read as before.',
    toDo: 'Acknowledge it, or keep the old name as an alias.',
  },
  risk: {
    meaning: 'A tool may do more, calls another address, or its texts try to steer a model.',
    toDo: 'Acknowledge it.',
  },
  behaviour: {
    meaning: 'The same calls are accepted, and something else happens.',
    toDo: 'Read it.',
  },
  wording: { meaning: 'Only texts changed.', toDo: 'Read it.' },
  addition: { meaning: 'More is possible, and nothing else changed.', toDo: 'Nothing.' },
};

/** True if someone must acknowledge a change of this level. */
export function isGated(level: Level): boolean {
  return level === 'breaking' || level === 'risk';
}
