/** The levels of changes, and every rule of the report: its stable id, its level, its text, and why a reviewer should care. */

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

interface Rule {
  readonly level: Level;
  /** Describes one change; the report prints the tool and the place next to it. */
  readonly title: string;
  readonly why: string;
}

const rule = (level: Level, title: string, why: string): Rule => ({ level, title, why });

const BREAKS = 'A call that worked is now refused or fails.';
const ANSWER = 'Code that reads the answers by name or by type now fails.';
const MORE = 'What worked still works, and more is possible.';
const SAME = 'The same calls are accepted, but something else happens.';
const WORDS = 'Only texts changed. They are all that a model knows.';
const FOLLOWED = 'A model follows its text: a person reads it first.';
const STEERS = 'A model obeys what it reads in a tool. Texts of an upstream may be an attack.';
const ASKS = 'Hosts decide by the hints whether to ask the user first.';

/** An id never changes its meaning: acknowledgements depend on it. */
export const RULES = {
  'service-removed': rule('breaking', 'Service removed', 'None of its tools can be called any more.'),
  'tool-removed': rule('breaking', 'Tool removed', 'Agents and saved prompts that name it fail.'),
  'tool-renamed': rule(
    'breaking',
    'Tool renamed without an alias',
    'Agents and saved prompts that use the old name fail.',
  ),
  'alias-removed': rule('breaking', 'Old name of a tool no longer accepted', 'Calls by that name fail.'),
  'argument-removed': rule('breaking', 'Argument removed', 'Unknown arguments are refused.'),
  'argument-renamed': rule('breaking', 'Argument renamed', 'The old name is refused.'),
  'argument-added-required': rule('breaking', 'Required argument added', BREAKS),
  'argument-made-required': rule('breaking', 'Argument made required', BREAKS),
  'argument-retyped': rule('breaking', 'Argument type changed or narrowed', BREAKS),
  'enum-narrowed': rule('breaking', 'Allowed values removed', BREAKS),
  'constraint-tightened': rule('breaking', 'Constraint tightened', BREAKS),
  'alternative-removed': rule('breaking', 'Alternative of an argument removed', BREAKS),
  'open-part-narrowed': rule(
    'breaking',
    'A part that the tool leaves open accepts less',
    'The upstream may refuse a call that worked. The tool does not show the part, because it has no room for it.',
  ),
  'agreement-added': rule('breaking', 'Arguments must now agree', BREAKS),
  'output-field-removed': rule('breaking', 'Output field removed', ANSWER),
  'output-field-retyped': rule('breaking', 'Output field changed or widened its type', ANSWER),
  'answer-shape-changed': rule('breaking', 'Answer is shaped differently', ANSWER),
  'answer-keeps-less': rule('breaking', 'Answer returns fewer of its members', ANSWER),
  'credential-changed': rule(
    'breaking',
    'Credential changed',
    'Existing connections lack what the upstream asks for now.',
  ),
  'server-variable-changed': rule(
    'breaking',
    'Setting of a base URL changed',
    'An operator who set it talks to another address now.',
  ),

  'read-tool-writes': rule(
    'risk',
    'A tool that only read may now write',
    `${ASKS} Tokens that may only read lose the tool.`,
  ),
  'effect-changed': rule('risk', 'The effect of a tool changed', `${ASKS} Approvals and read-only access follow it.`),
  'effect-inferred': rule(
    'risk',
    'The effect of a tool was inferred from words',
    'The method says something else. If the words mislead, `hints` in connector.yaml decides.',
  ),
  'answer-withholds-less': rule(
    'risk',
    'Answer returns members that were withheld',
    'They reach the model, its client and logs from now on.',
  ),
  'hint-relaxed': rule('risk', 'A hint promises more safety than before', ASKS),
  'method-writes': rule('risk', 'The call changed from a reading to a writing method', SAME),
  'writing-tool-added': rule(
    'risk',
    'Tool added that writes',
    'Agents may change or delete what they could not before.',
  ),
  'server-changed': rule('risk', 'The call goes to another base URL', "The user's credential is sent there."),
  'server-default-changed': rule('risk', 'Default of a base URL changed', "The user's credential is sent there."),
  'credential-host-changed': rule(
    'breaking',
    'The credential of users goes to another host',
    'Anyone who runs that host can act as the users. Their calls no longer reach the host that they were meant for.',
  ),
  'credential-host-added': rule(
    'risk',
    'A tool sends the credential of users to a host that did not get it before',
    'Anyone who runs that host can act as the users.',
  ),
  'credential-widened': rule(
    'risk',
    'Calls carry a secret that they did not carry before',
    "The service that is called sees it. Connections without it can't use the tool.",
  ),
  'credential-page-changed': rule(
    'risk',
    'Page where users make the credential changed',
    'Users are sent there to fetch a secret.',
  ),
  'token-host-added': rule(
    'risk',
    'A host sees sign-ins, tokens or client secrets that it did not see before',
    'The host can act as the users, and as the application that is registered at the upstream.',
  ),
  'sign-in-weakened': rule('risk', 'Sign-in at the upstream checks less', 'An attacker may bring in a code or token.'),
  'scope-asked': rule('risk', 'Users are asked for a new scope', 'The token can do more if it is stolen.'),
  'tool-needs-scope': rule(
    'risk',
    'Tool needs a new scope',
    'Connections without it lose the tool until their users agree.',
  ),
  'tool-needs-extra': rule(
    'risk',
    'Tool needs what a connection may not have',
    'It fails for every user until the user adds that to the connection.',
  ),
  'fixed-value-of-write-changed': rule('risk', 'A value that a writing tool always sends changed', SAME),
  'version-changed': rule(
    'risk',
    'Calls ask for another version of the API',
    'The upstream may read arguments and shape answers in another way than the descriptor says.',
  ),
  'credential-moved': rule(
    'risk',
    'A tool sends the credential elsewhere',
    'A secret reaches another place of the request, or no longer does: only what the upstream keeps secret is a place for it.',
  ),
  'code-of-write-changed': rule(
    'risk',
    'Code of a writing tool changed',
    'It may write something else. Users who allowed the tool are asked again.',
  ),
  'check-dropped': rule(
    'risk',
    'A check before the call is gone',
    'Arguments reach the upstream that were refused before.',
  ),
  'idempotency-dropped': rule(
    'risk',
    'Repeated writes are no longer recognised by the upstream',
    'A write that is sent twice takes effect twice.',
  ),
  'approval-dropped': rule(
    'risk',
    'A tool no longer requires approval, or no longer says that it sends or pays',
    'Calls are made that a user had to approve before.',
  ),
  'introduces-url': rule('risk', 'Texts introduce a URL', STEERS),
  'introduces-instruction': rule('risk', 'Texts introduce an instruction to the model', STEERS),
  'introduces-hidden-characters': rule('risk', 'Texts introduce invisible characters', STEERS),
  'skill-added': rule('risk', 'Skill added', FOLLOWED),
  'skill-changed': rule('risk', 'Skill changed', FOLLOWED),
  'replaced-text-changed': rule(
    'risk',
    'The upstream changed what a text of ours replaces',
    'Agents read ours, which may be wrong now. Change it in connector.yaml, or acknowledge that it is still right.',
  ),
  'work-only-begun': rule(
    'risk',
    'Success may mean now that the work has only begun (status 202)',
    'The answer may lack the result. `wait` in connector.yaml makes the tool wait for it.',
  ),
  'new-texts': rule(
    'risk',
    'Texts that no one has read yet',
    'A model reads them. No scan finds every attack, so a person reads each of them once.',
  ),

  'skill-removed': rule('behaviour', 'Skill removed', 'Agents that followed it have the tools alone.'),
  'tool-renamed-with-alias': rule(
    'behaviour',
    'Tool renamed; the old name still works',
    'It expires on the date of the alias.',
  ),
  'hint-tightened': rule('behaviour', 'A hint promises less safety than before', ASKS),
  'method-changed': rule('behaviour', 'Method changed', SAME),
  'path-changed': rule('behaviour', 'Path changed', SAME),
  'argument-sent-elsewhere': rule('behaviour', 'Argument travels elsewhere', SAME),
  'fixed-value-changed': rule('behaviour', 'A value that is always sent changed', SAME),
  'style-changed': rule(
    'behaviour',
    'Argument written differently on the wire',
    'An upstream that reads the old form misreads the new one.',
  ),
  'body-type-changed': rule(
    'behaviour',
    'Body sent as another media type',
    'An upstream that reads the old form misreads the new one.',
  ),
  'call-changed': rule('behaviour', 'Call written differently', SAME),
  'code-changed': rule('behaviour', 'Code of a hand-written tool changed', SAME),
  'uses-changed': rule('behaviour', 'A hand-written tool calls other tools', SAME),
  'default-changed': rule('behaviour', 'Default changed', SAME),
  'idempotency-changed': rule(
    'behaviour',
    'Repeated writes are recognised by another header, or by one for the first time',
    SAME,
  ),
  'wait-changed': rule(
    'behaviour',
    'Wait for the end of work changed',
    'The answer is the last state, or the first answer.',
  ),
  'approval-changed': rule('behaviour', 'Approval or its preview changed', 'Calls wait, or show something else.'),
  'filters-changed': rule(
    'behaviour',
    'Filters of the service changed',
    'A wrong filter hides items, and without one the gateway reads more pages.',
  ),
  'paging-changed': rule('behaviour', 'Paging changed', 'Models reach the next page in another way, or not at all.'),
  'verify-changed': rule('behaviour', 'Test of the credential changed', 'It decides whether a connection is accepted.'),
  'account-changed': rule('behaviour', 'Name of the connected account is read differently', 'People see it.'),
  'sign-in-changed': rule(
    'behaviour',
    'Sign-in at the upstream changed',
    'Where it does not fit the upstream, users cannot connect, and tokens are not refreshed.',
  ),
  'errors-changed': rule('behaviour', 'Errors are read differently', 'Models read something else when a call fails.'),
  'caps-changed': rule('behaviour', 'Caps changed', 'Calls of one connection wait more, or the upstream refuses more.'),
  'success-status-changed': rule('behaviour', 'Statuses of success changed', 'The answer may mean something else.'),
  'argument-schema-changed': rule('behaviour', 'Schema of an argument changed', SAME),
  'argument-described-less': rule(
    'behaviour',
    'Members of an argument no longer described',
    'A model must guess them.',
  ),
  'argument-described-more': rule('behaviour', 'Members of an argument described', 'A model need not guess them.'),
  'open-part-changed': rule(
    'behaviour',
    'Parts that the tool leaves open changed',
    'The tool does not show them, because it has no room for them.',
  ),
  'output-described-less': rule('behaviour', 'Members of an output field no longer described', 'They may still come.'),
  'output-type-narrowed': rule('behaviour', 'Output field narrowed its type', 'It promises more than before.'),
  'output-schema-changed': rule('behaviour', 'Output schema changed', 'Answers are described in another way.'),
  'operation-deprecated': rule(
    'behaviour',
    'Operation deprecated by the upstream',
    'It still works, and may stop: move to the operation that replaces it.',
  ),
  'operation-undeprecated': rule('addition', 'Operation no longer deprecated', 'Agents may go on using it.'),
  'changed-otherwise': rule('behaviour', 'Changed in a way that no rule knows', 'Look at the file.'),

  'title-changed': rule('wording', 'Title changed', WORDS),
  'description-changed': rule('wording', 'Description changed', WORDS),
  'argument-text-changed': rule('wording', 'Text of an argument changed', WORDS),
  'output-text-changed': rule('wording', 'Text of the output changed', WORDS),
  'output-schema-rewritten': rule('wording', 'Output schema written in another way', 'It describes the same answers.'),
  'introduces-known-url': rule(
    'wording',
    'Texts introduce a URL of the vendor or of a specification, or another version of a page',
    'Models seldom follow it, and it leads to the author of the text, or to the page that the text named before.',
  ),
  'order-changed': rule('wording', 'Order changed', 'A model reads the same in another order.'),
  'service-words-changed': rule('wording', 'Texts about the service changed', 'People read them, models do not.'),
  'operation-id-changed': rule('wording', 'operationId changed', 'A name of the descriptor; nothing is sent under it.'),

  'service-added': rule('addition', 'Service added', MORE),
  'tool-added': rule('addition', 'Tool added that reads', MORE),
  'alias-ended': rule('behaviour', 'Old name of a tool expired on its date', 'Calls by that name fail, as announced.'),
  'alias-date-changed': rule('behaviour', 'Old name of a tool expires on another date', SAME),
  'alias-added': rule('addition', 'Old name accepted', MORE),
  'argument-added': rule('addition', 'Optional argument added', MORE),
  'argument-made-optional': rule('addition', 'Argument made optional', MORE),
  'argument-type-widened': rule('addition', 'Argument accepts more types', MORE),
  'enum-widened': rule('addition', 'Allowed values added', MORE),
  'constraint-loosened': rule('addition', 'Constraint loosened', MORE),
  'alternative-added': rule('addition', 'Alternative of an argument added', MORE),
  'agreement-changed': rule('behaviour', 'Rule of agreement changed', SAME),
  'check-added': rule(
    'behaviour',
    'A check before the call was added',
    'Only values are refused that no call should send.',
  ),
  'credential-kind-added': rule('addition', 'Another kind of credential accepted', MORE),
  'scope-dropped': rule('addition', 'Users are asked for fewer scopes', 'The token can do less if it is stolen.'),
  'tool-needs-fewer-scopes': rule('addition', 'Tool needs fewer scopes', MORE),
  'tool-needs-no-extra': rule('addition', 'Tool needs nothing in addition to the connection any more', MORE),
  'server-added': rule('addition', 'Base URL added', MORE),
  'credential-narrowed': rule('behaviour', 'Calls no longer carry a secret that they carried before', SAME),
  'server-removed': rule('behaviour', 'Base URL no longer used', SAME),
  'output-described-more': rule('addition', 'Members of an output field described', MORE),
  'answer-keeps-more': rule('addition', 'Answer returns more of its members', MORE),
  'output-field-added': rule('addition', 'Output field added', MORE),
  'operation-not-exposed': rule(
    'addition',
    'Operation appeared upstream that no tool offers',
    'A tool may be worth having.',
  ),
} satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof RULES;
