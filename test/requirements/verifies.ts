/** How a test declares which requirements it verifies. */

import { expect } from 'vitest';
import type { RequirementId } from './oauth.ts';

/**
 * Stands at the start of a test that verifies these requirements; `coverage.test.ts` finds it there.
 *
 * A test that does so and asserts nothing fails.
 */
export function verifies(..._ids: readonly [RequirementId, ...RequirementId[]]): void {
  expect.hasAssertions();
}
