#!/usr/bin/env bash
# Draws a picture of every scene into docs/images/gallery and writes docs/gallery.md.
# usage: docs/gallery.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."
costate=${1:-target/release/costate}
pictures=docs/images/gallery
mkdir -p "$pictures"

# What is drawn of a scene where it is not one moment, at three tenths of its time.
options() {
    case $1 in
        bouncing_ball | bouncing_ball_fit) echo --at 0.1,0.4,0.7,1.0 ;;
        cart_pole) echo --at 0,0.4,0.8,1.2 --traces ;;
        double_pendulum_wall | pendulum_with_stop) echo --at 0,0.1,0.2,0.3 ;;
        flyball_governor) echo --at 5.75 ;;
        five_bar_friction | five_bar_rest | five_bar_smooth) echo --at 0.5 --style paper ;;
        four_bar | slider_crank) echo --at 0.3 --traces --labels ;;
        hysteretic_oscillator) echo --at 10 ;;
        incline_block | rolling_disc | superball | tipping_block) echo --at 0,0.2,0.4,0.6 ;;
        jansen_leg) echo --at 0.5 --traces ;;
        latch | ratchet_hoist) echo --at 0,0.2,0.4,0.6 ;;
        spinning_box) echo --at 0,0.25,0.9 --traces ;;
        swinging_atwood) echo --at 0.5 --traces ;;
        taut_string) echo --at 0.05 ;;
        walker_foot) echo --at 0.1,0.4,0.7 ;;
        *) echo --at "$(third "$1")" ;;
    esac
}

third() {
    awk '/duration:/ && match($0, /duration: *[0-9.]+/) { split(substr($0, RSTART, RLENGTH), part, ":"); d = part[2] }
         END { printf "%.3f", 0.3 * (d ? d : 1) }' "scenes/$1.ron"
}

text() {
    sed -n "s/^ *$2: \"\(.*\)\",\$/\1/p" "scenes/$1.ron" | head -n 1
}

{
    printf '# Gallery\n\nEvery scene of `scenes/`, drawn by `docs/gallery.sh`: those of the plane as lines, those in space as they are seen in the window.\n'
    for file in scenes/*.ron; do
        scene=$(basename "$file" .ron)
        if grep -q 'space: Planar' "$file"; then
            picture=$scene.svg
        else
            picture=$scene.png
        fi
        # shellcheck disable=SC2046 # Options are several words.
        "$costate" render "$file" --quiet --size 640x400 --out "$pictures/$picture" $(options "$scene")
        printf '\n## [%s](../scenes/%s.ron)\n\n%s.\n\n<img src="images/gallery/%s" height="260" alt="%s">\n' \
            "$(text "$scene" name)" "$scene" "$(text "$scene" about)" "$picture" "$(text "$scene" name)"
    done
} > docs/gallery.md.part
mv docs/gallery.md.part docs/gallery.md
