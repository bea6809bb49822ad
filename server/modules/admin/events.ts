/** Events about operators, as the audit trail names them. */

import { defineEvents } from '../../base/store/events.ts';

export const ADMIN_EVENTS = defineEvents('admin', {
  operator_signed_in: 'An operator signed in to the dashboard.',
  operator_sign_in_refused: 'A sign-in to the dashboard was refused.',
  operator_signed_out: 'An operator signed out.',
  operator_added: 'An operator was added.',
  operator_changed: 'An operator was changed.',
  operator_removed: 'An operator was removed.',
  operator_session_ended: 'Somebody ended a session of an operator.',
  access_token_minted: 'An operator minted an access token for testing.',
  client_removed: 'An operator removed an OAuth client.',
  tool_tried: 'An operator called a tool from the dashboard.',
});
