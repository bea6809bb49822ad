/** The doctor: finds what is wrong with a gateway. */

import { defineModule } from '../../module.ts';

export const doctor = defineModule({
  name: 'doctor',
  summary: 'Finds what is wrong with a gateway, from inside and from outside, and how to fix it.',
  commands: {
    'Run the gateway': {
      doctor: {
        summary: 'find what is wrong with a gateway, and how to fix it',
        after: 'start',
        load: async (modules) => (await import('./command.ts')).createDoctorCommand(modules),
      },
    },
  },
});
