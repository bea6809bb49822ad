/** Settings of earlier versions. If one is still set, a warning says what happens now. */

/** By variable: continues the sentence that says that it is no longer read. */
const REMOVED: Readonly<Record<string, string>> = {
  ADMIN_SESSION_HOURS: 'a session of an operator expires after 12 hours, or after ADMIN_IDLE_MINUTES without a request',
  CODE_CALLS: 'a program makes at most 500 calls of tools',
  CODE_CPU_MS: 'a program itself works for at most 2 seconds',
  CODE_MEMORY_MB: 'a program has 64 MiB of memory',
  EVENT_SUBSCRIPTIONS: 'the gateway has at most 100,000 subscriptions to events',
  EVENT_SUBSCRIPTION_SECONDS: 'a client must refresh a subscription to events within a day',
  LIST_PAGE_TOOLS: 'a page of a list has at most 1,000 tools',
  SECURITY_CONTACT: 'put a file security.txt into WELL_KNOWN_FOLDER',
  SKILLS: 'every skill of specs/ is offered; remove its folder and run codegen to offer it no more',
  TASKS_PER_USER: 'at most 50 tasks are kept for a user',
  TASK_TTL_MS: 'a task and its result are kept for an hour',
};

/** @returns a sentence for each variable that is set, although the gateway no longer reads it. */
export function findRemoved(set: readonly string[]): string[] {
  return set.flatMap((name) =>
    Object.hasOwn(REMOVED, name) ? [`${name} is set, but the gateway no longer reads it: ${REMOVED[name]}.`] : [],
  );
}
