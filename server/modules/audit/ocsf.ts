/** Classes and activities of audit events in the Open Cybersecurity Schema Framework, https://schema.ocsf.io (1.6.0). */

/** Attributes of an event, by the names of the schema. */
export interface OcsfClass {
  readonly class_uid: number;
  readonly activity_id: number;
  /** 1: informational, 3: medium. */
  readonly severity_id: 1 | 3;
  /** 1: success, 2: failure. */
  readonly status_id: 1 | 2;
}

/** Class and activity: 2004 is Detection Finding, 3002 Authentication, 3004 Entity Management, 3005 User Access Management. */
const NAMED: Readonly<Record<string, readonly [classUid: number, activityId: number]>> = {
  operator_signed_in: [3002, 1],
  operator_sign_in_refused: [3002, 1],
  operator_signed_out: [3002, 2],
  operator_session_ended: [3002, 2],
  user_page_entered: [3002, 1],
  user_link_minted: [3002, 3],
  connection_code_minted: [3002, 3],
  connection_code_refused: [3002, 1],
  identity_assertion_refused: [3002, 1],
  tokens_issued: [3002, 3],
  tokens_refreshed: [3002, 3],
  refresh_answer_repeated: [3002, 3],
  access_token_minted: [3002, 3],
  consent_given: [3005, 1],
  consent_denied: [3005, 1],
  tool_allowed: [3005, 1],
  approval_decided: [3005, 1],
  approval_requested: [3005, 99],
  standing_approval_ended: [3005, 2],
  grant_revoked: [3005, 2],
  grants_revoked: [3005, 2],
  grant_narrowed: [3005, 2],
  access_token_revoked: [3005, 2],
  authorization_code_replayed: [2004, 1],
  refresh_token_replayed: [2004, 1],
  refresh_token_shared: [2004, 1],
  connect_code_replayed: [2004, 1],
};

/** Activities of Entity Management by the last word of a type. */
const ACTIVITIES: Readonly<Record<string, number>> = {
  added: 1,
  registered: 1,
  activated: 1,
  issued: 1,
  set: 1,
  changed: 3,
  renamed: 3,
  rotated: 3,
  approved: 3,
  removed: 4,
  revoked: 4,
};
const OTHER = 99;

/** Returns the class of an event of this type. Events without a class of their own are about entities of the gateway. */
export function ocsfClassOf(type: string): OcsfClass {
  const lastWord = type.slice(type.lastIndexOf('_') + 1);
  const [class_uid, activity_id] = NAMED[type] ?? [3004, ACTIVITIES[lastWord] ?? OTHER];
  const isFailure = /_(refused|denied|declined|replayed|shared)$/.test(type);
  return { class_uid, activity_id, severity_id: class_uid === 2004 ? 3 : 1, status_id: isFailure ? 2 : 1 };
}
