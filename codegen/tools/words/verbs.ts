/** Verbs for what operations do. */

import { wordSet } from '../../word-set.ts';

/** Verbs stay in a name however short it gets, and a sentence that begins with one can be a title. */
export const VERBS = wordSet(
  'accept acknowledge activate add adjust allow analyze append apply approve archive assign associate attach authorize ' +
    'block calculate cancel capture change check claim clear clone close complete compute configure confirm ' +
    'connect convert copy count create deactivate decline decrypt delete deny deploy describe detach detect disable ' +
    'disassociate disconnect dismiss download duplicate edit enable encrypt end enroll evaluate execute expire export fetch ' +
    'filter finalize find finish follow fork generate get grant head hide import init insert invite invoke issue join leave ' +
    'link list lock lookup mark merge modify move mute notify open patch pause pay pin ping post preview process promote ' +
    'publish purge push put query read rebuild reboot receive recover redeem refresh refund register reject release reload remove ' +
    'rename renew reopen replace reply request requeue rerun resend reset resolve restart restore resume retrieve retry ' +
    'return reverse revert review revoke rotate run save scan schedule search select send set share show sign simulate skip ' +
    'snooze split star start stop submit subscribe suspend sync synchronize tag terminate test toggle track transfer ' +
    'translate trigger unarchive unassign unblock unfollow uninstall unlink unlock unmute unpin unpublish unstar ' +
    'unsubscribe update upgrade upload upsert validate verify view void vote watch write',
);
