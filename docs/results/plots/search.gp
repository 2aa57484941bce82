# gnuplot docs/results/plots/search.gp (from the top folder): docs/results/plots/search.svg
set terminal svg size 760,440 font "sans,12" background "white"
set output "docs/results/plots/search.svg"
set datafile commentschars "#"
set datafile missing "nan"
set key autotitle columnhead bottom right
set logscale x 2
set xtics (10, 25, 50, 100, 200)
set xlabel "evaluations"
set ylabel "optimum / best so far"
set yrange [0.5:1]
set grid
plot for [i=2:9] "docs/results/plots/search.tsv" using 1:i with linespoints linewidth (i < 4 ? 3 : 1)
