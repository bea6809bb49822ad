/** A page of the OAuth requirements: which test verifies which requirement. */

import type { Verification } from './find-verifications.ts';
import type { RequirementGroup } from './oauth.ts';
import type { Requirement } from './requirement.ts';

const INTRODUCTION = `# OAuth requirements

What the specifications ask of this server, in our words, and the tests that verify it. A requirement that no test names
fails \`test/requirements/coverage.test.ts\`. A test names its requirements by their ids, with \`verifies(...)\`.
`;

/** @returns the page; its links lead from a folder two levels below the project's root. */
export function toRequirementsPage(
  groups: readonly RequirementGroup[],
  verifications: readonly Verification[],
): string {
  const sections = groups.map(({ heading, requirements }) => {
    const rows = requirements.map((requirement) => toRow(requirement, verifications));
    const head = ['| Requirement | Source | Behaviour | Verified by |', '| --- | --- | --- | --- |'];
    return [`## ${heading}`, '', ...head, ...rows].join('\n');
  });
  return `${[INTRODUCTION, ...sections].join('\n\n').replace('\n\n\n', '\n\n')}\n`;
}

function toRow({ id, source, behaviour }: Requirement, verifications: readonly Verification[]): string {
  const tests = verifications
    .filter((verification) => verification.id === id)
    .map(
      ({ file, titles }) => `[${toCell(file.replace(/^test\//, ''))}](../../${file}): ${toCell(titles.join(' › '))}`,
    );
  return `| \`${id}\` | ${toCell(source)} | ${toCell(behaviour)} | ${tests.join('<br>')} |`;
}

/** Escapes what would end a table cell or line. */
function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
}
