// The symbols of the characters of Nyet!. This module adds them to the document when it is loaded.

import { html } from '../../vendor/lit-html/lit-html.js';
import { addSymbols } from '../table/sprite.js';

addSymbols(html`<svg>
  <symbol id="a-bear" viewBox="0 0 100 100"><circle cx="20" cy="24" r="18"/><circle cx="80" cy="24" r="18"/><path d="M50 12C76 12 94 32 94 56C94 80 74 96 50 96C26 96 6 80 6 56C6 32 24 12 50 12Z"/><circle class="animal-hole" cx="20" cy="23" r="7.500"/><circle class="animal-hole" cx="80" cy="23" r="7.500"/><circle class="animal-hole" cx="32" cy="46" r="6"/><circle class="animal-hole" cx="68" cy="46" r="6"/><ellipse class="animal-hole" cx="50" cy="72" rx="21" ry="17"/><path d="M39 64Q50 58 61 64Q60 73 52.500 75V82H47.500V75Q40 73 39 64Z"/></symbol>
  <symbol id="a-wolf" viewBox="0 0 100 100"><path d="M9 2L38 24Q50 20 62 24L91 2Q97 26 91 44L97 62L80 66L63 88Q50 102 37 88L20 66L3 62L9 44Q3 26 9 2Z"/><path class="animal-hole" d="M15 13L31 27L17 39ZM85 13L69 27L83 39ZM23 46L44 57L28 59ZM77 46L56 57L72 59ZM41 82H59L50 92Z"/></symbol>
  <symbol id="a-tiger" viewBox="0 0 100 100"><circle cx="17" cy="22" r="13"/><circle cx="83" cy="22" r="13"/><path d="M50 8C74 8 92 24 95 48L99 66L88 70C82 88 68 96 50 96C32 96 18 88 12 70L1 66L5 48C8 24 26 8 50 8Z"/><path class="animal-hole" d="M45 8H55L50 34ZM29 12L38 10L41 31ZM71 12L62 10L59 31ZM3 46L27 52L4 57ZM97 46L73 52L96 57ZM8 68L29 66L15 79ZM92 68L71 66L85 79ZM27 40Q37 36 43 47Q32 51 27 40ZM73 40Q63 36 57 47Q68 51 73 40ZM39 63H61L52.500 72V81Q62 84 68 78Q62 92 50 88Q38 92 32 78Q38 84 47.500 81V72Z"/></symbol>
  <symbol id="a-crane" viewBox="0 0 100 100"><path d="M70 4C78 2 83 6 85 11L100 17L84 19C80 24 74 25 71 30C67 37 77 42 78 52C79 66 64 76 47 75L49 98H43L41 74C37 73 34 72 31 70L27 84L33 98H26L20 84L25 66C16 60 8 66 0 76C0 58 14 42 36 41C48 40 58 46 63 50C68 44 56 36 60 22C62 12 64 6 70 4Z"/><circle class="animal-hole" cx="75" cy="11" r="2.800"/></symbol>
  <symbol id="a-eagle" viewBox="0 0 100 100"><path d="M50 14C56 14 60 18 60 24L66 30L58 31Q58 36 62 38C72 38 80 28 99 10C99 24 98 30 94 36C97 38 94 44 89 46C91 50 87 55 82 56C82 61 76 65 68 65Q64 68 62 72L69 94L57 87L50 97L43 87L31 94L38 72Q36 68 32 65C24 65 18 61 18 56C13 55 9 50 11 46C6 44 3 38 6 36C2 30 1 24 1 10C20 28 28 38 38 38Q42 36 42 28C41 20 44 14 50 14Z"/><circle class="animal-hole" cx="53" cy="22" r="2.800"/></symbol>
</svg>`);
