/** The verbs from which the effect of an operation is inferred, with the reason before each group. */

import { wordSet } from '../../word-set.ts';

/** A verb of a table. */
export interface VerbRule {
  /** Lower-case words, one or two. */
  readonly word: string;
  /**
   * True for a word that is as often a noun or an adjective. It counts as a verb where a name begins with it, where it stands alone, and at the end of
   * an operationId without a verb before it.
   */
  readonly isNoun: boolean;
}

/** By word. The groups list verbs, with `?` behind those that are as often a noun or an adjective. */
function toTable(...groups: readonly string[]): ReadonlyMap<string, VerbRule> {
  const entries = groups.flatMap((group) => group.split(', '));
  return new Map(
    entries.map((entry) => {
      const word = entry.replace('?', '');
      return [word, { word, isNoun: word !== entry }];
    }),
  );
}

/** Verbs of operations that destroy. Two words are a phrase. */
export const DESTRUCTIVE_VERBS = toTable(
  // What it names is gone afterwards.
  'delete, remove, destroy, erase, expunge, evict, abandon, obliterate, nuke, discard, forget, dispose, shred',
  'deprovision, decommission, deallocate, teardown?, tear down, disband, dissolve',
  // Short for delete.
  'del',
  // Delete in Spanish, Portuguese, French, Italian, German and Dutch; accents are gone by then.
  'eliminar, borrar, suprimir, excluir, apagar, supprimer, effacer, eliminare, cancellare, loschen, loeschen, entfernen, verwijderen',
  // It deletes for good, often everything.
  'purge',
  // It deletes everything on a device or in a store.
  'wipe',
  // It deletes all that is not in use.
  'prune, garbage collect',
  // Short for remove.
  'rm, rmdir, rmdirs',
  // Garbage collection deletes what is not in use.
  'gc',
  // The personal data is gone and does not come back.
  'anonymize, anonymise',
  // What is in the recycle bin is deleted after a while.
  'recycle?',
  // It deletes the contents.
  'truncate, clear, empty?',
  // It deletes the contents of a cache or a queue.
  'flush?',
  // It deletes a table, a rule or a member.
  'drop?',
  // What is in the trash is deleted after a while.
  'trash?',
  // It deletes what it takes for waste.
  'clean?, cleanup?, clean up',
  // The text is gone and does not come back.
  'redact',
  // It deletes everything on a machine.
  'reimage',
  // It deletes what was changed after the installation.
  'reinstall',
  // People no longer find or change what is archived; not every service takes it back.
  'archive?',
  // It takes something out of use for everybody who uses it.
  'retire, recall?, retract, unpublish, depublish, withdraw, delist, takedown?, take down, undeploy',
  // The installation and its settings are gone.
  'uninstall',
  // A document that is void does not become valid again.
  'void',
  // A document that is annulled does not become valid again.
  'annul',
  // It takes back what was granted.
  'rescind',
  // A claim that is written off is given up.
  'write off',
  // What is forfeited does not come back.
  'forfeit',
  // What is burnt does not come back.
  'burn',
  // A cancelled order, run or subscription does not go on.
  'cancel',
  // It ends what runs or waits, and what was begun is lost.
  'terminate, abort, kill, stop?, end?, halt, shutdown?, shut down, power off, poweroff, power down, shut off',
  'hangup, hang up, turn off, switch off, drain',
  // Not every service opens again what was closed.
  'close?',
  // What was issued before stops working.
  'expire, invalidate, revoke, rotate, regenerate',
  // It ends a session, and its token stops working.
  'logout, log out, log off, logoff, signout, sign out',
  // The state before it is lost.
  'reset?, revert, rollback?, roll back, undo, overwrite, replace',
  // It takes back a booking.
  'reverse?',
  // The state before it is overwritten by an older one.
  'restore archive, restore backup, restore snapshot',
  // It takes access away from a person or a client.
  'deactivate, inactivate, demote, disable, suspend, suppress, ban?, block?, kick, expel, eject, offboard',
  'deauthorize',
  // It ends a request of another person, who has to ask again.
  'disapprove, reject, decline, deny, refuse',
  // What is dismissed is not shown again.
  'dismiss',
  // Who leaves may not be able to come back alone.
  'leave?',
  // It gives up a right, which only another person can give back.
  'relinquish, surrender',
  // An address, a number or a lock that is released can go to somebody else.
  'release?',
  // It takes a link away, as DELETE does with the resource of a link.
  'detach, disconnect, disassociate, dissociate, deregister, opt out',
);

/** Verbs that bring something back, so that they write. Any other verb that begins with `un` destroys (`findVerb`). */
export const RESTORING_VERBS = toTable(
  // It brings back what was archived.
  'unarchive',
  // It gives access back.
  'unban, unblock, unlock, unsuspend, reactivate',
  // It lets go on what was cancelled.
  'uncancel',
  // It brings back what was deleted.
  'undelete',
  // It lets go on what was frozen.
  'unfreeze',
  // It shows again what was hidden.
  'unhide',
  // It opens again what was sealed.
  'unseal',
  // It shows again what was muted.
  'unmute',
  // It lets go on what was paused.
  'unpause',
  // It shows again what was hidden for a while.
  'unsnooze',
  // It brings back what was in the trash.
  'untrash',
  // It shows more.
  'unfurl',
  // It brings back what was lost.
  'recover',
  // It brings back what was deleted or archived.
  'restore',
  // It sends a message to the person who forgot it.
  'forget password',
);

/** Words that begin with `un` and are no verbs that take something away. */
export const NO_VERBS_WITH_UN = wordSet(
  'unanswered unassigned unavailability unavailable uncle uncertainty uncollectible under underlying understand underwriting unemployment unicode unified union uniprot unique unison uniswap unit units unity universal universe universities university unknown unix unixtime unlimited unlocode unpaid unread unseen unsent unsold unspent unspsc unsplash until untitled unused',
);

/** Verbs of operations that only read. */
export const READING_VERBS = toTable(
  // It answers with what is there, and keeps nothing.
  'search?, query?, list?, count?, get, find, fetch, retrieve, lookup?, look up, describe, browse, enumerate',
  'inspect, explain, autocomplete?, introspect, run search, run query, run aggregation, do search',
  'perform search, reverse lookup, reverse search',
  // At the end of a name it marks something as read.
  'read?',
  // At the end of a name it counts that something was seen.
  'view?',
  // At the end of a name it takes something out of hiding.
  'show?',
  // A summary in the third person says what is answered; to return goods is another verb.
  'returns',
  // The name of a getter in RPC-style services.
  'info?',
  // A question, which is answered.
  'is, has, exists',
  // It answers which of the named permissions the caller has.
  'test iam',
  // Several searches at once.
  'msearch',
  // Several items at once.
  'mget',
  // The next page of a search.
  'scroll',
  // It finds the address of a place.
  'reverse geocode, reverse geocoding',
  // It finds where a picture is.
  'reverse image',
  // How much is spent in a time.
  'burn rate',
  // A date: end of day, end of life.
  'end of',
  // The weather without clouds.
  'clear sky',
  // The number of the last block of a chain.
  'block number',
  // It computes its answer from its arguments, and keeps nothing.
  'suggest, recommend, predict, calculate, compute, estimate?, compare, render, parse',
  // It shows what would happen.
  'preview?',
  // It judges its arguments, and keeps nothing.
  'validate, check?, lint',
);

/** Reading verbs that mean something else at the end of a name. */
export const FIRST_ONLY_VERBS: ReadonlySet<string> = new Set(['read', 'show', 'view']);

/** Phrases of two words in which a reading verb writes. */
export const WRITING_PHRASES = toTable(
  // It records an arrival.
  'check in',
  // It records a departure, takes a lock or begins a payment.
  'check out',
  // It is the record of a query that runs.
  'query execution',
);

/** Things that a POST named `get`, `fetch` or `retrieve` issues: a new one for each call. */
export const ISSUED_THINGS = wordSet('code credential credentials jwt otp password ticket token tokens');

/** Verbs of operations that issue something. */
export const ISSUING_VERBS: ReadonlySet<string> = new Set(['fetch', 'get', 'retrieve']);

/** Nouns of destructive actions. They decide the effect of `create` and of other verbs that do not name an action themselves. */
export const DESTRUCTIVE_NOUNS = toTable(
  // It takes access away from a person or a client.
  'ban, deactivation, eviction, expulsion, suspension',
  // A cancelled order, run or subscription does not go on.
  'cancellation',
  // It deletes what it takes for waste.
  'cleanup',
  // What it names is gone afterwards.
  'anonymization, anonymisation, deletion, destruction, erasure, purge, redaction, removal, wipe',
  // It takes a link away, as DELETE does with the resource of a link.
  'deregistration',
  // It ends a request of another person, who has to ask again.
  'rejection',
  // It takes back a booking.
  'reversal',
  // Not every service opens again what was closed.
  'closure',
  // What was issued before stops working.
  'invalidation, revocation',
  // The state before it is lost.
  'rollback',
  // It ends what runs or waits, and what was begun is lost.
  'termination',
);

/** Verbs that carry out the deed that the next word names: `requestDelete`, `startDeletion`. */
export const CARRYING_VERBS = wordSet(
  'begin confirm continue do execute initiate invoke perform process request retry run schedule start submit trigger',
);

/** Verbs that are hardly ever nouns, so that a verb behind them is their object: `createRemoveToken`. */
export const PLAIN_VERBS = wordSet(
  'add allow apply assign calculate can create describe enable ensure evaluate fetch find generate get insert ' +
    'is modify put register retrieve save send set should update upload validate verify',
);

/** Verbs that make a GET write, where its operationId begins with them. */
export const WRITING_VERBS_OF_GET = wordSet(
  'accept activate add approve assign confirm create deploy enable import insert invite modify pay publish reboot register ' +
    'rename resend restart save send subscribe toggle trigger undelete unarchive unlock update upload vote',
);

/** Words before a verb that say how, not what. */
export const ADVERBS = wordSet(
  'admin api async asynchronously auto batch bulk factory force hard immediately irreversibly irrevocably mass multi permanently quick ' +
    'safe self soft transact try',
);

/** Last words of names of things that a GET reads: `resetPasswordPolicy`, `stop-words`. */
export const THINGS_READ = wordSet(
  'config configuration count counts detail details event events form format history info job jobs link list log logs ' +
    'operation operations option options period policies policy preview progress reason reasons report reports request ' +
    'requests result results rule rules schedule setting settings state status statuses template templates token tokens ' +
    'type types url window words',
);
