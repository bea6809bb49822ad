/** How bad a change is, from the worst to the most harmless. */

export const LEVELS = ['breaking', 'risk', 'behaviour', 'wording', 'addition'] as const;
export type Level = (typeof LEVELS)[number];

/** Whether somebody must acknowledge a change of this level. */
export function isGated(level: Level): boolean {
  return level === 'breaking' || level === 'risk';
}
