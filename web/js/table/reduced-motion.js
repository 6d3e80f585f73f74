// Reduced motion.

/** Whether the device or the settings ask for less motion. */
export function prefersReducedMotion() {
  const isChosen = document.documentElement.dataset.motion === 'less';
  return isChosen || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
