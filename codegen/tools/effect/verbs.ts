/** The verbs from which the effect of an operation is inferred, each with its reason. */

/** A verb, and why an operation that it names has this effect. */
export interface VerbRule {
  readonly why: string;
  /**
   * The word is as often a noun or an adjective (`archive`, `search`): it counts as a verb only where a name begins with
   * it, or where it stands alone. Default: false.
   */
  readonly isNoun?: true;
  /** At the end of a name the word means something else. Default: false. */
  readonly isFirstOnly?: true;
}

const GONE = 'What it names is gone afterwards.';
const ENDS = 'It ends what runs or waits, and what was begun is lost.';
const ACCESS = 'It takes access away from a person or a client.';
const KEY = 'What was issued before stops working.';
const LINK = 'It takes a link away, as DELETE does with the resource of a link.';
const STATE = 'The state before it is lost.';
const REFUSES = 'It ends a request of another person, who has to ask again.';
const HIDES = 'It takes something out of use for everybody who uses it.';

/** Verbs of operations that destroy. Two words are a phrase. */
export const DESTRUCTIVE_VERBS: Readonly<Record<string, VerbRule>> = {
  delete: { why: GONE },
  del: { why: 'Short for delete.' },
  remove: { why: GONE },
  destroy: { why: GONE },
  erase: { why: GONE },
  expunge: { why: GONE },
  purge: { why: 'It deletes for good, often everything.' },
  wipe: { why: 'It deletes everything on a device or in a store.' },
  prune: { why: 'It deletes all that is not in use.' },
  evict: { why: GONE },
  rm: { why: 'Short for remove.' },
  rmdir: { why: 'Short for remove.' },
  rmdirs: { why: 'Short for remove.' },
  gc: { why: 'Garbage collection deletes what is not in use.' },
  'garbage collect': { why: 'It deletes all that is not in use.' },
  abandon: { why: GONE },
  anonymize: { why: 'The personal data is gone and does not come back.' },
  anonymise: { why: 'The personal data is gone and does not come back.' },
  obliterate: { why: GONE },
  recycle: { why: 'What is in the recycle bin is deleted after a while.', isNoun: true },
  discard: { why: GONE },
  forget: { why: GONE },
  dispose: { why: GONE },
  truncate: { why: 'It deletes the contents.' },
  clear: { why: 'It deletes the contents.' },
  empty: { why: 'It deletes the contents.', isNoun: true },
  flush: { why: 'It deletes the contents of a cache or a queue.', isNoun: true },
  drop: { why: 'It deletes a table, a rule or a member.', isNoun: true },
  trash: { why: 'What is in the trash is deleted after a while.', isNoun: true },
  clean: { why: 'It deletes what it takes for waste.', isNoun: true },
  cleanup: { why: 'It deletes what it takes for waste.', isNoun: true },
  'clean up': { why: 'It deletes what it takes for waste.' },
  redact: { why: 'The text is gone and does not come back.' },
  shred: { why: GONE },
  reimage: { why: 'It deletes everything on a machine.' },
  reinstall: { why: 'It deletes what was changed after the installation.' },
  archive: { why: 'People no longer find or change what is archived; not every service takes it back.', isNoun: true },
  retire: { why: HIDES },
  recall: { why: HIDES, isNoun: true },
  retract: { why: HIDES },
  unpublish: { why: HIDES },
  withdraw: { why: HIDES },
  delist: { why: HIDES },
  takedown: { why: HIDES, isNoun: true },
  'take down': { why: HIDES },
  uninstall: { why: 'The installation and its settings are gone.' },
  undeploy: { why: HIDES },
  deprovision: { why: GONE },
  decommission: { why: GONE },
  deallocate: { why: GONE },
  teardown: { why: GONE, isNoun: true },
  'tear down': { why: GONE },
  disband: { why: GONE },
  dissolve: { why: GONE },
  void: { why: 'A document that is void does not become valid again.' },
  annul: { why: 'A document that is annulled does not become valid again.' },
  rescind: { why: 'It takes back what was granted.' },
  'write off': { why: 'A claim that is written off is given up.' },
  forfeit: { why: 'What is forfeited does not come back.' },
  burn: { why: 'What is burnt does not come back.' },
  cancel: { why: 'A cancelled order, run or subscription does not go on.' },
  terminate: { why: ENDS },
  abort: { why: ENDS },
  kill: { why: ENDS },
  stop: { why: ENDS, isNoun: true },
  end: { why: ENDS, isNoun: true },
  halt: { why: ENDS },
  shutdown: { why: ENDS, isNoun: true },
  'shut down': { why: ENDS },
  'power off': { why: ENDS },
  poweroff: { why: ENDS },
  'power down': { why: ENDS },
  'shut off': { why: ENDS },
  hangup: { why: ENDS },
  'hang up': { why: ENDS },
  'turn off': { why: ENDS },
  'switch off': { why: ENDS },
  drain: { why: ENDS },
  close: { why: 'Not every service opens again what was closed.', isNoun: true },
  expire: { why: KEY },
  invalidate: { why: KEY },
  revoke: { why: KEY },
  rotate: { why: KEY },
  regenerate: { why: KEY },
  logout: { why: 'It ends a session, and its token stops working.' },
  'log out': { why: 'It ends a session, and its token stops working.' },
  'log off': { why: 'It ends a session, and its token stops working.' },
  logoff: { why: 'It ends a session, and its token stops working.' },
  signout: { why: 'It ends a session, and its token stops working.' },
  'sign out': { why: 'It ends a session, and its token stops working.' },
  reset: { why: STATE, isNoun: true },
  revert: { why: STATE },
  rollback: { why: STATE, isNoun: true },
  'roll back': { why: STATE },
  undo: { why: STATE },
  reverse: { why: 'It takes back a booking.', isNoun: true },
  overwrite: { why: STATE },
  replace: { why: STATE },
  'restore archive': { why: 'The state before it is overwritten by an older one.' },
  'restore backup': { why: 'The state before it is overwritten by an older one.' },
  'restore snapshot': { why: 'The state before it is overwritten by an older one.' },
  deactivate: { why: ACCESS },
  inactivate: { why: ACCESS },
  demote: { why: ACCESS },
  disable: { why: ACCESS },
  suspend: { why: ACCESS },
  suppress: { why: ACCESS },
  ban: { why: ACCESS, isNoun: true },
  block: { why: ACCESS, isNoun: true },
  kick: { why: ACCESS },
  expel: { why: ACCESS },
  eject: { why: ACCESS },
  offboard: { why: ACCESS },
  deauthorize: { why: ACCESS },
  disapprove: { why: REFUSES },
  reject: { why: REFUSES },
  decline: { why: REFUSES },
  deny: { why: REFUSES },
  refuse: { why: REFUSES },
  dismiss: { why: 'What is dismissed is not shown again.' },
  leave: { why: 'Who leaves may not be able to come back alone.', isNoun: true },
  relinquish: { why: 'It gives up a right, which only another person can give back.' },
  release: { why: 'An address, a number or a lock that is released can go to somebody else.', isNoun: true },
  detach: { why: LINK },
  disconnect: { why: LINK },
  disassociate: { why: LINK },
  dissociate: { why: LINK },
  deregister: { why: LINK },
  'opt out': { why: LINK },
};

/** Verbs that begin with `un`: they take away what the rest of the word made, unless these say otherwise. */
export const RESTORING_VERBS: Readonly<Record<string, VerbRule>> = {
  unarchive: { why: 'It brings back what was archived.' },
  unban: { why: 'It gives access back.' },
  unblock: { why: 'It gives access back.' },
  uncancel: { why: 'It lets go on what was cancelled.' },
  undelete: { why: 'It brings back what was deleted.' },
  unfreeze: { why: 'It lets go on what was frozen.' },
  unhide: { why: 'It shows again what was hidden.' },
  unlock: { why: 'It gives access back.' },
  unseal: { why: 'It opens again what was sealed.' },
  unmute: { why: 'It shows again what was muted.' },
  unpause: { why: 'It lets go on what was paused.' },
  unsnooze: { why: 'It shows again what was hidden for a while.' },
  unsuspend: { why: 'It gives access back.' },
  untrash: { why: 'It brings back what was in the trash.' },
  unfurl: { why: 'It shows more.' },
  recover: { why: 'It brings back what was lost.' },
  restore: { why: 'It brings back what was deleted or archived.' },
  reactivate: { why: 'It gives access back.' },
  'forget password': { why: 'It sends a message to the person who forgot it.' },
};

/** Words that begin with `un` and are no verbs that take something away. */
export const NO_VERBS_WITH_UN: ReadonlySet<string> = new Set(
  'unanswered unassigned unavailability unavailable uncle uncertainty uncollectible under underlying understand underwriting unemployment unicode unified union uniprot unique unison uniswap unit units unity universal universe universities university unknown unix unixtime unlimited unlocode unpaid unread unseen unsent unsold unspent unspsc unsplash until untitled unused'.split(
    ' ',
  ),
);

const ANSWERS = 'It answers with what is there, and keeps nothing.';
const COMPUTES = 'It computes its answer from its arguments, and keeps nothing.';

/** Verbs of operations that only read. */
export const READING_VERBS: Readonly<Record<string, VerbRule>> = {
  search: { why: ANSWERS, isNoun: true },
  query: { why: ANSWERS, isNoun: true },
  list: { why: ANSWERS, isNoun: true },
  count: { why: ANSWERS, isNoun: true },
  get: { why: ANSWERS },
  find: { why: ANSWERS },
  fetch: { why: ANSWERS },
  retrieve: { why: ANSWERS },
  lookup: { why: ANSWERS, isNoun: true },
  'look up': { why: ANSWERS },
  read: { why: 'At the end of a name it marks something as read.', isNoun: true, isFirstOnly: true },
  view: { why: 'At the end of a name it counts that something was seen.', isNoun: true, isFirstOnly: true },
  show: { why: 'At the end of a name it takes something out of hiding.', isNoun: true, isFirstOnly: true },
  returns: { why: 'A summary in the third person says what is answered; to return goods is another verb.' },
  describe: { why: ANSWERS },
  browse: { why: ANSWERS },
  enumerate: { why: ANSWERS },
  inspect: { why: ANSWERS },
  explain: { why: ANSWERS },
  info: { why: 'The name of a getter in RPC-style services.', isNoun: true },
  is: { why: 'A question, which is answered.' },
  has: { why: 'A question, which is answered.' },
  exists: { why: 'A question, which is answered.' },
  'test iam': { why: 'It answers which of the named permissions the caller has.' },
  autocomplete: { why: ANSWERS, isNoun: true },
  introspect: { why: ANSWERS },
  msearch: { why: 'Several searches at once.' },
  mget: { why: 'Several items at once.' },
  scroll: { why: 'The next page of a search.' },
  'run search': { why: ANSWERS },
  'run query': { why: ANSWERS },
  'run aggregation': { why: ANSWERS },
  'do search': { why: ANSWERS },
  'perform search': { why: ANSWERS },
  'reverse geocode': { why: 'It finds the address of a place.' },
  'reverse geocoding': { why: 'It finds the address of a place.' },
  'reverse lookup': { why: ANSWERS },
  'reverse search': { why: ANSWERS },
  'reverse image': { why: 'It finds where a picture is.' },
  'burn rate': { why: 'How much is spent in a time.' },
  'end of': { why: 'A date: end of day, end of life.' },
  'clear sky': { why: 'The weather without clouds.' },
  'block number': { why: 'The number of the last block of a chain.' },
  suggest: { why: COMPUTES },
  recommend: { why: COMPUTES },
  predict: { why: COMPUTES },
  preview: { why: 'It shows what would happen.', isNoun: true },
  validate: { why: 'It judges its arguments, and keeps nothing.' },
  check: { why: 'It judges its arguments, and keeps nothing.', isNoun: true },
  lint: { why: 'It judges its arguments, and keeps nothing.' },
  calculate: { why: COMPUTES },
  compute: { why: COMPUTES },
  estimate: { why: COMPUTES, isNoun: true },
  compare: { why: COMPUTES },
  render: { why: COMPUTES },
  parse: { why: COMPUTES },
};

/** Phrases of two words in which a reading verb writes. */
export const WRITING_PHRASES: Readonly<Record<string, VerbRule>> = {
  'check in': { why: 'It records an arrival.' },
  'check out': { why: 'It records a departure, takes a lock or begins a payment.' },
  'query execution': { why: 'It is the record of a query that runs.' },
};

/** Things that a POST named `get`, `fetch` or `retrieve` issues: a new one for each call. */
export const ISSUED_THINGS: ReadonlySet<string> = new Set(
  'code credential credentials jwt otp password ticket token tokens'.split(' '),
);

/** Verbs of operations that issue something. */
export const ISSUING_VERBS: ReadonlySet<string> = new Set(['fetch', 'get', 'retrieve']);

/** Nouns of destructive actions. They decide the effect of `create` and of other verbs that do not name an action themselves. */
export const DESTRUCTIVE_NOUNS: Readonly<Record<string, VerbRule>> = {
  ban: { why: ACCESS },
  cancellation: { why: 'A cancelled order, run or subscription does not go on.' },
  cleanup: { why: 'It deletes what it takes for waste.' },
  deactivation: { why: ACCESS },
  deletion: { why: GONE },
  deregistration: { why: LINK },
  erasure: { why: GONE },
  purge: { why: GONE },
  removal: { why: GONE },
  reversal: { why: 'It takes back a booking.' },
  closure: { why: 'Not every service opens again what was closed.' },
  revocation: { why: KEY },
  rollback: { why: STATE },
  suspension: { why: ACCESS },
  termination: { why: ENDS },
  wipe: { why: GONE },
};

/** Verbs that carry out the deed that the next word names: `requestDelete`, `startDeletion`. */
export const CARRYING_VERBS: ReadonlySet<string> = new Set(
  'begin confirm continue do execute initiate invoke perform process request retry run schedule start submit trigger'.split(
    ' ',
  ),
);

/** Verbs that are hardly ever nouns, so that a verb behind them is their object: `createRemoveToken`. */
export const PLAIN_VERBS: ReadonlySet<string> = new Set(
  (
    'add allow apply assign calculate can create describe enable ensure evaluate fetch find generate get insert ' +
    'is modify put register retrieve save send set should update upload validate verify'
  ).split(' '),
);

/** Verbs that make a GET write, where its operationId begins with them. */
export const WRITING_VERBS_OF_GET: ReadonlySet<string> = new Set(
  'activate add approve confirm create enable import insert modify publish register restart send undelete unarchive update upload'.split(
    ' ',
  ),
);

/** Words before a verb that say how, not what. */
export const ADVERBS: ReadonlySet<string> = new Set(
  'admin api async asynchronously auto batch bulk factory force hard mass multi permanently quick safe self soft transact try'.split(
    ' ',
  ),
);

/** Last words of names of things that a GET reads: `resetPasswordPolicy`, `stop-words`. */
export const THINGS_READ: ReadonlySet<string> = new Set(
  (
    'config configuration count counts detail details event events form format history info job jobs link list log logs ' +
    'operation operations option options period policies policy preview progress reason reasons report reports request ' +
    'requests result results rule rules schedule setting settings state status statuses template templates token tokens ' +
    'type types url window words'
  ).split(' '),
);
