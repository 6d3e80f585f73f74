// What lies over the table: sheets, dialogs, and troubles: the layout, what axe-core finds, and the pictures of each scene (looks.js).

import { lookAt } from './looks.js';
import { GROUPS } from './scenes.js';

await lookAt(GROUPS.sheets);
