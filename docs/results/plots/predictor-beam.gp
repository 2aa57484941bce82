# gnuplot docs/results/plots/predictor-beam.gp: docs/results/plots/predictor-beam.svg
set terminal svg size 760,440 font "sans,12" background "white"
set output "docs/results/plots/predictor-beam.svg"
set datafile missing "nan"
set key autotitle columnhead outside right
set xtics 1, 1
set xlabel "beam width"
set ylabel "%"
set grid
plot for [i=2:5] "docs/results/plots/predictor-beam.tsv" using 1:i with linespoints linewidth 2
