/** The report for programs. */

import { RULES } from '../rules.ts';
import type { Report } from '../types.ts';

/**
 * `{ version: 1, base, head, open, services, groups, costs, newTexts, stale, usage }`; a value that did not exist is
 * missing.
 *
 * Members may be added; an existing member keeps its meaning within a version.
 */
export function formatJson(report: Report): string {
  const { base, head, open, services, groups, costs, newTexts, stale, usage } = report;
  const told = groups.map(({ changes, ...group }) => ({
    ...group,
    title: RULES[group.rule].title,
    changes: changes.map(({ tool, place, before, after, note, file, pointer, fingerprint, acknowledged }) => ({
      tool,
      place,
      before,
      after,
      note,
      file,
      pointer,
      fingerprint,
      acknowledged,
    })),
  }));
  return `${JSON.stringify({ version: 1, base, head, open, services, groups: told, costs, newTexts, stale, usage }, null, 2)}\n`;
}
