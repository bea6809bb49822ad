/** Runs checks concurrently, each with a time limit. */

import { type Check, type CheckResult, error, type Finding } from '../../base/checks.ts';
import { NoAnswerError } from '../../base/guarded-fetch/reach.ts';
import { withTimeout } from '../../base/with-timeout.ts';

const AT_ONCE = 16;
const BROKEN_OFF = 'look for a proxy or a firewall that drops such requests, and read the log of the gateway';

interface RunOptions {
  /** Time limit per check. */
  readonly timeoutMs: number;
  /** Called for each finished check. */
  readonly onDone: (name: string) => void;
}

/** @returns the findings in the order of the checks, without duplicates. */
export async function runChecks(checks: readonly Check[], { timeoutMs, onDone }: RunOptions): Promise<Finding[]> {
  const findings: Finding[][] = checks.map(() => []);
  const queue = checks.entries();
  const work = async (): Promise<void> => {
    for (const [index, check] of queue) {
      const results = await runCheck(check, timeoutMs);
      findings[index] = results.map((each) => ({ check: check.name, ...each }));
      onDone(check.name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [...new Map(findings.flat().map((finding) => [JSON.stringify(finding), finding])).values()];
}

async function runCheck({ run }: Check, timeoutMs: number): Promise<readonly CheckResult[]> {
  const controller = new AbortController();
  const onTimeout = (): readonly CheckResult[] => {
    controller.abort();
    return [error(`there was no answer within ${timeoutMs / 1000} s`, 'try again, with a longer --timeout')];
  };
  try {
    return await withTimeout(run(controller.signal), timeoutMs, onTimeout);
  } catch (defect) {
    if (defect instanceof NoAnswerError) return [error(defect.message, BROKEN_OFF)];
    return [error(`the check itself failed (${nameOf(defect)})`, 'report this as a bug in the gateway')];
  }
}

/** Messages of foreign errors may quote anything. */
function nameOf(defect: unknown): string {
  if (!(defect instanceof Error)) return 'unknown error';
  return 'code' in defect && typeof defect.code === 'string' ? `${defect.name} ${defect.code}` : defect.name;
}
